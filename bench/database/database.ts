import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence/service';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../packages/app/src/database/database-access.ts';
import { type Cleanup, temporaryFolder } from '../machine/machine.ts';
import { addressBefore, type Seed, seed } from './seed.ts';

export type Databases = Awaited<ReturnType<typeof openDatabases>>;

export interface Database {
  /** For a service, with the rights of its role. */
  readonly url: URL;
  /** For the superuser. */
  readonly admin: URL;
}

/** Settings that the embedded database changes, with the values of PostgreSQL's packages. */
const asInstalled = {
  log_min_messages: 'warning',
  log_min_error_statement: 'error',
  log_error_verbosity: 'default',
};

/** A server with a filled database, and copies of it. */
export async function openDatabases(filling: Seed, cleanup: Cleanup) {
  const parent = await temporaryFolder(cleanup);
  // Root's database runs as another user, who must pass through this folder.
  await chmod(parent, 0o711);
  const options = { folder: join(parent, 'data'), service: true, settings: asInstalled };
  const { address, close } = await startEmbeddedDatabase(options);
  cleanup.push(close);
  const { host, port, user, password: secret, database: main } = address('superuser');
  const server = new URL(`postgres://${user}:${secret}@${host}:${port}/${main}`);
  const role = 'campaign_mirror_bench';
  const password = randomBytes(16).toString('hex');
  await query(server, `create role ${role} login password '${password}' in role ${roles.service}`);
  let count = 0;
  const created = async (options = ''): Promise<Database> => {
    count += 1;
    const name = `${role}_${count}`;
    await query(server, `create database ${name} ${options}`);
    const url = Object.assign(new URL(name, server), { username: role, password });
    return { url, admin: new URL(name, server) };
  };
  const filled = async (checkout: string): Promise<string> => {
    const { admin } = await created();
    const database = admin.pathname.slice(1);
    const { migrate } = await import(join(checkout, 'packages/adapters-persistence/src/index.ts'));
    await migrate({ host, port: Number(port), user, password: secret, database });
    await seed(admin, filling);
    return database;
  };
  const first = `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as id`;
  const [process] = await query<{ id: number }>(server, first);
  const templates = new Map<string, Promise<string>>();
  return {
    server: await describeServer(server),
    /** Its first process. */
    postmaster: process?.id ?? 0,
    /** A new copy, with the schema of this checkout of the project or of another one. */
    copy: async (checkout = join(import.meta.dirname, '../..')) => {
      const template = templates.get(checkout) ?? filled(checkout);
      templates.set(checkout, template);
      return created(`template ${await template} strategy file_copy`);
    },
  };
}

/** The version of the server, and the settings that determine its speed. */
export async function describeServer(url: URL): Promise<string> {
  const described = `select 'PostgreSQL ' || current_setting('server_version') || ': ' ||
      string_agg(name || ' ' || current_setting(name), ', ') as text
    from unnest('{fsync, synchronous_commit, autovacuum, shared_buffers, min_wal_size, max_wal_size,
      checkpoint_timeout, logging_collector, log_min_messages}'::text[]) as name`;
  return `${(await query<{ text: string }>(url, described))[0]?.text}`;
}

export async function query<Row extends pg.QueryResultRow>(url: URL, text: string, values?: unknown[]) {
  const client = new pg.Client({ connectionString: url.href });
  try {
    await client.connect();
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Locks 20 campaigns half a second at a time, until `release`, which resolves with the share of the other updates. */
export function holdLocks(url: URL, campaigns: number) {
  const held = Array.from({ length: 20 }, (_, at) => 1 + Math.floor((at * campaigns) / 20));
  const hold = `begin; select from campaign_mirror.mirrors where campaign_id in (${held}) order by id for update;
    select pg_sleep(0.5); commit; select pg_sleep(0.1)`;
  const others = `select avg((campaign_id not in (${held}))::int) as part from campaign_mirror.mirror_history`;
  let isHolding = true;
  const holding = (async () => {
    while (isHolding) await query(url, hold);
  })();
  return async () => {
    isHolding = false;
    await holding;
    return Number((await query<{ part: string }>(url, others))[0]?.part);
  };
}

/** Updates: answered with 200, refused as expected, and sent. The end of a round interrupts some of those sent. */
export interface Updates {
  answered: number;
  refused: number;
  sent: number;
}

type Counts = Record<'rows' | 'breaks' | 'ends' | 'unrecorded' | 'uses', string>;

/** The faults of a history, one line each. */
export async function historyFaults(url: URL, { answered, refused, sent }: Updates): Promise<string[]> {
  const [counts] = await query<Counts>(
    url,
    `with history as (
      select campaign_id, address_before, address_after, changed_at,
        lag(address_after, 1, $1) over chain as known, lag(changed_at) over chain as earlier,
        lead(changed_at) over chain is null as is_last
      from campaign_mirror.mirror_history window chain as (partition by campaign_id order by changed_at)
    )
    select count(*) as rows,
      count(*) filter (where address_before <> known or changed_at <= earlier) as breaks,
      count(*) filter (where is_last and not exists (
        select from campaign_mirror.mirrors m where m.campaign_id = history.campaign_id
          and m.target_url = address_after and m.updated_at = changed_at)) as ends,
      (select count(*) from campaign_mirror.mirrors m where updated_externally and not exists (
        select from campaign_mirror.mirror_history h where h.campaign_id = m.campaign_id)) as unrecorded,
      (select count(*) from campaign_mirror.key_uses where used_at is not null) as uses
    from history`,
    [addressBefore],
  );
  const { rows, breaks, ends, unrecorded, uses } = counts as Counts;
  const faults: string[] = [];
  if (Number(rows) < answered || Number(rows) > sent - refused)
    faults.push(
      `${answered} answers of 200, ${refused} refused of ${sent} requests, ${rows} rows of history`,
    );
  if (breaks !== '0') faults.push(`${breaks} rows of history do not follow the row before`);
  if (ends !== '0') faults.push(`${ends} mirrors differ from the last row of their history`);
  if (unrecorded !== '0') faults.push(`${unrecorded} mirrors were changed without history`);
  if (answered > 0 && uses === '0') faults.push('no use of a key was recorded');
  return faults;
}
