import { type ExecFileOptions, execFile } from 'node:child_process';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../promises.ts';
import { connect } from './client.ts';
import { type DedicatedServer, dedicatedServer } from './dedicated-server.ts';

/** A standby needs at least what its primary has. */
const usual = ['max_prepared_transactions=20', 'fsync=off'];

export type Replicated = Awaited<ReturnType<typeof replicated>>;

/**
 * A primary and its standby, by streaming replication, as `pg_basebackup` makes one (PostgreSQL, section 26.3.3, making a
 * base backup using the low level API). `prepare` fills the primary before it is copied; `folder` as a dedicated server has it.
 */
export async function replicated(
  prepare: (primary: DedicatedServer) => Promise<void> = async () => {},
  settings: readonly string[] = usual,
  folder = '',
) {
  const primary = await dedicatedServer({ settings, folder });
  await prepare(primary);
  const standby = await dedicatedServer({
    folder,
    settings: [...settings, `primary_conninfo=${conninfo(primary)}`],
    fill: (data, as) => copyOf(primary, data, as),
  });
  const ask = async (server: DedicatedServer, text: string, values: unknown[] = []) => {
    const client = await connect(server.address('postgres'));
    return client.query(text, values).finally(() => client.end());
  };
  return {
    primary,
    standby,
    /** Resolves when the standby shows what the primary has committed by now. */
    caughtUp: async (): Promise<void> => {
      const { rows } = await ask(primary, 'select pg_current_wal_flush_lsn()::text as lsn');
      await eventually('the standby has replayed it', async () => {
        const replayed = await ask(standby, 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as now', [
          rows[0].lsn,
        ]);
        expect(replayed.rows[0].now).to.equal(true);
      });
    },
    /** The standby becomes a primary; resolves when it takes writes. */
    promote: async (): Promise<void> => {
      const { rows } = await ask(standby, 'select pg_promote() as done');
      expect(rows[0].done).to.equal(true);
    },
    remove: async (): Promise<void> => {
      await standby.remove();
      await primary.remove();
    },
  };
}

function conninfo(primary: DedicatedServer): string {
  const { host, port } = primary.address('postgres');
  return `host=${host} port=${port} user=postgres`;
}

async function copyOf(primary: DedicatedServer, data: string, as: ExecFileOptions): Promise<void> {
  const client = await connect(primary.address('postgres'));
  await client.query("select pg_backup_start('standby', fast => true)");
  await promisify(execFile)('cp', ['-r', `${primary.data}/.`, data], as);
  const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)');
  await client.end();
  await rm(join(data, 'postmaster.pid'));
  for (const [name, content] of [
    ['backup_label', rows[0].labelfile],
    ['standby.signal', ''],
  ]) {
    await writeFile(join(data, name), content);
    if (as.uid !== undefined && as.gid !== undefined) await chown(join(data, name), as.uid, as.gid);
  }
}
