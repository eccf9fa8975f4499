import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { openOwnDatabase } from '../../packages/app/src/database/database-access.ts';
import type { Cleanup } from '../machine/run.ts';
import { query } from './query.ts';

/** Settings that the embedded database changes for its own purposes, with the values of PostgreSQL's packages. */
const asInstalled = {
  log_min_messages: 'warning',
  log_min_error_statement: 'error',
  log_error_verbosity: 'default',
  log_autovacuum_min_duration: '10min',
  log_checkpoints: 'on',
};

/** As the manual advises for a server to which much is written. */
const tuned = {
  shared_buffers: `${Math.round(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '16GB',
  min_wal_size: '2GB',
  checkpoint_timeout: '30min',
};

/** Of the WAL, 16 MB each: what `min_wal_size` keeps. */
const segments = 128;

/**
 * The URL of a superuser: BENCH_DATABASE_URL, or a server that is brought up for the run, with its own defaults or tuned;
 * its log goes to a file.
 */
export async function openServer(isTuned: boolean, cleanup: Cleanup): Promise<URL> {
  const serverUrl = process.env.BENCH_DATABASE_URL;
  if (serverUrl) return new URL(serverUrl);
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  // If this process runs as root, the database runs as another user, who has to pass through.
  await chmod(parent, 0o711);
  cleanup.push(() => rm(parent, { recursive: true, force: true, maxRetries: 10 }));
  const settings = { ...asInstalled, ...(isTuned && tuned) };
  const { address, close } = await openOwnDatabase({ folder: join(parent, 'data'), service: true, settings });
  cleanup.push(close);
  const { host, port, user, password, database } = address('superuser');
  const url = new URL(`postgres://${user}:${password}@${host}:${port}/${database}`);
  if (isTuned) await makeSegments(url);
  return url;
}

/** A server that has been at work for a while has old ones, as many as `min_wal_size` keeps, and takes them anew. */
async function makeSegments(url: URL): Promise<void> {
  await query(
    url,
    `do $$ begin
      for segment in 1..${segments} loop
        perform pg_logical_emit_message(false, 'benchmark', ''), pg_switch_wal();
      end loop;
    end $$`,
  );
  await query(url, 'checkpoint');
}

const describedSettings = [
  'fsync',
  'synchronous_commit',
  'autovacuum',
  'shared_buffers',
  'min_wal_size',
  'max_wal_size',
  'checkpoint_timeout',
  'logging_collector',
  'log_min_messages',
];

/** Its version, and what decides over its speed. */
export async function describeServer(url: URL): Promise<string> {
  const [row] = await query<{ text: string }>(
    url,
    `select 'PostgreSQL ' || current_setting('server_version') || ': ' || string_agg(name || ' ' ||
      current_setting(name), ', ' order by at) as text from unnest($1::text[]) with ordinality as t (name, at)`,
    [describedSettings],
  );
  return `${row?.text} (${process.env.BENCH_DATABASE_URL ? 'BENCH_DATABASE_URL' : 'embedded'})`;
}
