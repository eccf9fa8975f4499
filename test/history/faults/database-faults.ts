import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { roles } from '@campaign-mirror/adapters-persistence';
import type { Fault } from './fault.ts';

/** In milliseconds: longer than a statement of the service may take. */
const [stopped, held] = [10_000, 7_000];
const terminations = 40;

export const databaseFaults = {
  'database-killed': {
    does: 'the database is killed and started again',
    run: async ({ server }, { recorder }) => {
      const felt = recorder.next(({ status }) => status === 503);
      await server.kill();
      await felt;
      await server.start();
    },
  },
  'database-frozen': {
    does: `the database stands still for ${stopped / 1000} s`,
    run: async ({ server }) => {
      server.freeze();
      await pause(stopped);
      server.thaw();
    },
  },
  'sessions-ended': {
    does: 'every session ends at a random moment, again and again',
    run: async ({ store }, { random }) => {
      for (let number = 0; number < terminations; number++) {
        await store.admin.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where usename = any($1) and random() < $2',
          [[roles.service, roles.operator, roles.redirector], random.number()],
        );
        await pause(random.below(150));
      }
    },
  },
  'connections-refused': {
    does: `the database has no connection left for the service, for ${held / 1000} s`,
    run: async ({ store }) => {
      await store.admin.query(`alter role ${roles.service} connection limit 0`);
      await store.admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
        roles.service,
      ]);
      await pause(held);
      await store.admin.query(`alter role ${roles.service} connection limit -1`);
    },
  },
  'campaigns-locked': {
    does: `somebody holds every campaign for ${held / 1000} s`,
    run: (stage) => holding(stage, ['select from campaign_mirror.campaigns for update']),
  },
  'one-campaign-locked': {
    does: `somebody holds one campaign for ${held / 1000} s`,
    run: (stage) => holding(stage, ['select from campaign_mirror.campaigns order by id limit 1 for update']),
  },
  'tables-altered': {
    does: `ALTER TABLE on all tables, committed after ${held / 1000} s`,
    run: (stage) =>
      holding(
        stage,
        ['campaigns', 'mirrors', 'access_keys', 'mirror_history'].map(
          (table) => `alter table campaign_mirror.${table} add column altered integer`,
        ),
        'commit',
      ),
  },
  'tables-rewritten': {
    does: 'VACUUM FULL of all tables, one after the other',
    run: async ({ store }) => {
      for (const table of ['campaigns', 'mirrors', 'access_keys', 'mirror_history'])
        await store.admin.query(`vacuum full campaign_mirror.${table}`);
    },
  },
  'disk-full': {
    does: `the disk of the database is full for ${held / 1000} s`,
    disk: 192,
    run: async (stage, { recorder }) => {
      const { server, store } = stage;
      const ballast = join(server.data, 'ballast');
      const felt = recorder.next(({ status }) => status === 503);
      const fill = () => fillDisk(ballast);
      fill();
      // What is freed meanwhile is taken, too.
      const again = setInterval(fill, 100);
      try {
        await felt;
        await pause(held);
      } finally {
        clearInterval(again);
        rmSync(ballast);
      }
      // It may have given up.
      await store.admin.query('select').catch(async () => {
        await server.kill();
        await server.start();
      });
    },
  },
} satisfies Record<string, Fault>;

function fillDisk(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const bytes of [2 ** 20, 2 ** 12]) for (;;) if (!isWritten(file, Buffer.alloc(bytes))) break;
  } finally {
    closeSync(file);
  }
}

function isWritten(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

async function holding(
  { store }: Parameters<Fault['run']>[0],
  statements: string[],
  end: 'commit' | 'rollback' = 'rollback',
): Promise<void> {
  const holder = await store.admin.connect();
  await holder.query('begin');
  for (const text of statements) await holder.query(text);
  await pause(held);
  await holder.query(end);
  holder.release();
}
