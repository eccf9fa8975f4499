import { type ExecFileOptions, execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../promises.ts';
import { connect, query } from './client.ts';
import { type DedicatedServer, dedicatedServer } from './dedicated-server.ts';

export type Replicated = Awaited<ReturnType<typeof replicated>>;

/**
 * A primary and its standby, by streaming replication (PostgreSQL, section 26.3.3, making a base backup using the low
 * level API). `prepare` fills the primary before it is copied.
 */
export async function replicated(
  prepare: (primary: DedicatedServer) => Promise<void> = async () => {},
  settings: readonly string[] = ['max_prepared_transactions=20', 'fsync=off'],
) {
  const primary = await dedicatedServer({ settings });
  await prepare(primary);
  const { host, port } = primary.address('postgres');
  const standby = await dedicatedServer({
    settings: [...settings, `primary_conninfo=host=${host} port=${port} user=postgres`],
    fill: (data, as) => copy(primary, data, as),
  });
  return {
    primary,
    standby,
    /** Resolves when the standby shows what the primary has committed. */
    caughtUp: async (): Promise<void> => {
      const [{ lsn }] = await query(
        primary.address('postgres'),
        'select pg_current_wal_flush_lsn()::text as lsn',
      );
      const replayed = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as now';
      await eventually('the replay on the standby', async () => {
        expect(await query(standby.address('postgres'), replayed, [lsn])).to.deep.equal([{ now: true }]);
      });
    },
    /** Makes the standby a primary. Resolves when it takes writes. */
    promote: async (): Promise<void> => {
      const promoted = await query(standby.address('postgres'), 'select pg_promote() as done');
      expect(promoted).to.deep.equal([{ done: true }]);
    },
    remove: async (): Promise<void> => {
      await standby.remove();
      await primary.remove();
    },
  };
}

async function copy(primary: DedicatedServer, data: string, as: ExecFileOptions): Promise<void> {
  const client = await connect(primary.address('postgres'));
  await client.query("select pg_backup_start('standby', fast => true)");
  await promisify(execFile)('cp', ['-r', `${primary.data}/.`, data], as);
  const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)');
  await client.end();
  await rm(join(data, 'postmaster.pid'));
  await writeFile(join(data, 'backup_label'), rows[0].labelfile);
  await writeFile(join(data, 'standby.signal'), '');
  if (as.uid) await promisify(execFile)('chown', ['-R', `${as.uid}:${as.gid}`, data]);
}
