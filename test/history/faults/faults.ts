import { setTimeout as pause } from 'node:timers/promises';
import { roles } from '@campaign-mirror/adapters-persistence';
import { RawConnection } from '../../support/http/connection.ts';
import { unknownKey } from '../../support/secrets.ts';
import type { Random } from '../workload/known.ts';
import type { Recorder } from '../workload/recorder.ts';
import type { Stage } from './stage.ts';

export interface Fault {
  readonly does: string;
  /** Two processes have to serve. */
  readonly takesTwo?: true;
  /** Resolves when its cause is gone. */
  run(stage: Stage, during: { readonly recorder: Recorder; readonly random: Random }): Promise<void>;
}

/** In milliseconds: longer than a statement of the service may take. */
const [stopped, held, away] = [10_000, 7_000, 8_000];
const tables = ['campaigns', 'mirrors', 'access_keys', 'mirror_history'];

/** How many callers at once, and for how many milliseconds. */
const [many, lasting] = [200, 8_000];

/** Nobody's: it stores nothing, whatever becomes of it. */
const request = [
  'POST /public/v1/mirror/campaign/1/mirror HTTP/1.1',
  'Host: a',
  `Authorization: Bearer ${unknownKey}`,
  'Content-Type: application/json',
  'Content-Length: 40',
  '',
  '{"mirror_endpoint":"https://a.example/"}',
].join('\r\n');

export const faults = {
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
    run: async ({ admin }, { random }) => {
      const all = [roles.service, roles.operator, roles.redirector];
      for (let number = 0; number < 40; number++) {
        await admin.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where usename = any($1) and random() < $2',
          [all, random.number()],
        );
        await pause(random.below(150));
      }
    },
  },
  'connections-refused': {
    does: `the database has no connection left for the service, for ${held / 1000} s`,
    run: async ({ admin }) => {
      await admin.query(`alter role ${roles.service} connection limit 0`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
        roles.service,
      ]);
      await pause(held);
      await admin.query(`alter role ${roles.service} connection limit -1`);
    },
  },
  'campaigns-locked': {
    does: `somebody holds every campaign for ${held / 1000} s`,
    run: (stage) => holding(stage, 'select from campaign_mirror.campaigns for update'),
  },
  'tables-altered': {
    does: `ALTER TABLE on all tables, committed after ${held / 1000} s`,
    run: (stage) =>
      holding(
        stage,
        tables.map((table) => `alter table campaign_mirror.${table} add column altered integer`).join(';'),
        'commit',
      ),
  },
  'network-cut': {
    does: 'all connections to the database break, again and again',
    run: async ({ proxy }, { random }) => {
      for (let number = 0; number < 30; number++) {
        proxy.cut();
        await pause(random.below(200));
      }
    },
  },
  'network-refuses': {
    does: `nobody reaches the database for ${away / 1000} s`,
    run: async ({ proxy }) => {
      await proxy.refuse();
      await pause(away);
      await proxy.accept();
    },
  },
  'network-silent': {
    does: `no byte passes to or from the database for ${away / 1000} s`,
    run: async ({ proxy }) => {
      proxy.freeze();
      await pause(away);
      proxy.thaw();
    },
  },
  'service-killed': {
    does: 'the service is killed and started again',
    run: async (stage) => {
      await stage.service.process.stop('SIGKILL');
      await stage.startService();
    },
  },
  'process-killed': {
    does: 'one of two processes on a port is killed; another one takes its place',
    takesTwo: true,
    run: async ({ sharing }) => {
      await sharing.services.at(-1)?.process.stop('SIGKILL');
      await sharing.another();
    },
  },
  'service-frozen': {
    does: 'the service stands still for 3 s',
    run: async ({ service }) => {
      service.process.child.kill('SIGSTOP');
      await pause(3_000);
      service.process.child.kill('SIGCONT');
    },
  },
  'clients-slow': {
    does: `${many} clients send a byte now and then for ${lasting / 1000} s, and read nothing`,
    run: async (stage) => {
      const all = await connections(stage);
      for (const { socket } of all) socket.pause();
      for (const byte of request) {
        for (const connection of all) void connection.send(byte);
        await pause(lasting / request.length);
      }
      await Promise.all(all.map((connection) => connection.reset()));
    },
  },
  'clients-vanishing': {
    does: `for ${lasting / 1000} s clients are gone in the middle of a request or behind it`,
    run: async (stage, { random }) => {
      for (const end = performance.now() + lasting; performance.now() < end; ) {
        const all = await connections(stage, many / 4);
        await Promise.all(all.map((one) => one.send(request.slice(0, random.below(2 * request.length)))));
        await pause(random.below(20));
        await Promise.all(all.map((connection) => connection.reset()));
      }
    },
  },
} satisfies Record<string, Fault>;

async function holding({ admin }: Stage, statements: string, end = 'rollback'): Promise<void> {
  const holder = await admin.connect();
  await holder.query(`begin; ${statements}`);
  await pause(held);
  await holder.query(end);
  holder.release();
}

const connections = ({ base }: Stage, count = many) =>
  Promise.all(Array.from({ length: count }, () => RawConnection.open(Number(new URL(base).port))));
