import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../packages/app/src/database/database-access.ts';
import { type Cleanup, temporaryFolder } from '../machine/run.ts';

/** Settings that the embedded database changes for its own purposes, with the values of PostgreSQL's packages. */
const asInstalled = {
  log_min_messages: 'warning',
  log_min_error_statement: 'error',
  log_error_verbosity: 'default',
};

/** The URL of a superuser of a server that is brought up for the run, with its own defaults; its log goes to a file. */
export async function openServer(cleanup: Cleanup): Promise<URL> {
  const parent = await temporaryFolder(cleanup);
  // If this process runs as root, the database runs as another user, who has to pass through.
  await chmod(parent, 0o711);
  const folder = join(parent, 'data');
  const { address, close } = await startEmbeddedDatabase({ folder, service: true, settings: asInstalled });
  cleanup.push(close);
  const { host, port, user, password, database } = address('superuser');
  return new URL(`postgres://${user}:${password}@${host}:${port}/${database}`);
}

const describedSettings = [
  ...['fsync', 'synchronous_commit', 'autovacuum', 'shared_buffers', 'min_wal_size', 'max_wal_size'],
  ...['checkpoint_timeout', 'logging_collector', 'log_min_messages'],
];

/** Its version, and what decides over its speed. */
export async function describeServer(url: URL): Promise<string> {
  const [row] = await query<{ text: string }>(
    url,
    `select 'PostgreSQL ' || current_setting('server_version') || ': ' || string_agg(name || ' ' ||
      current_setting(name), ', ' order by at) as text from unnest($1::text[]) with ordinality as t (name, at)`,
    [describedSettings],
  );
  return `${row?.text}`;
}

export function query<Row extends pg.QueryResultRow>(url: URL, text: string, values?: unknown[]) {
  return withClient(url, async (client) => (await client.query<Row>(text, values)).rows);
}

export async function withClient<T>(url: URL, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url.href });
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.end();
  }
}
