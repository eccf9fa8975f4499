import { migrate, migrationNames, openDatabase } from '@campaign-mirror/adapters-persistence';
import { max, median } from 'd3-array';
import type pg from 'pg';
import { query, withClient } from '../database/query.ts';
import { seed, seedOf } from '../database/seed.ts';
import { describeServer, openServer } from '../database/server.ts';
import { number, table } from '../figures/statistics.ts';
import { machine } from '../machine/cores.ts';
import type { Cleanup } from '../machine/run.ts';
import type { Options } from './bench.ts';

const name = 'campaign_mirror_bench_migration';
const writers = 4;
const looks = 1_000;

/** As an update does it, in any version of the schema. */
const updateText = `
  with updated as (
    update campaign_mirror.mirrors set target_url = 'https://new.example/', updated_at = clock_timestamp()
    where campaign_id = $1 returning *
  )
  insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, subject, owner_id, address_before,
    address_after, changed_at, request_id)
  select campaign_id, id, 'jwt', 'bench', owner_id, target_url, target_url, updated_at, 'bench' from updated`;

/** Changes the mirrors of the campaigns from $1 to $2. */
const changeText = `
  select campaign_mirror.set_mirrors_if(array_agg(n::bigint), array_agg(null::bigint), array_agg(null::boolean),
    array_agg('https://new.example/'::text), array_agg(null::text), array_agg(null::bigint), array_agg('jwt'::text),
    array_agg('bench'::text), array_agg('bench'::text), null, false)
  from generate_series($1::int, $2::int) as n`;

/**
 * From the first version of the schema with a history to the last one, while others update: how long an update waits; then
 * what a look of the feed costs, and how long it takes to bring back a history of another server, whose numbers lie ahead.
 */
export async function migration(
  { campaigns, changes = campaigns, seconds, tuned = false }: Options,
  cleanup: Cleanup,
): Promise<readonly string[]> {
  const server = await openServer(tuned, cleanup);
  cleanup.push(() => query(server, `drop database if exists ${name} with (force)`));
  await query(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  const address = {
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    password: url.password,
    database: name,
  };
  const { orm, close } = await openDatabase(address);
  await orm.migrator.up({ to: migrationNames[0] as string });
  await close();
  await seed(url, seedOf(campaigns, changes));
  console.error(
    `${machine(false)}\n${await describeServer(server)}\n${campaigns} campaigns, ${changes} changes`,
  );

  const rows: Record<string, string>[] = [];
  const note = (what: string, milliseconds: number) => rows.push({ what, ms: number(milliseconds, 2) });
  const timed = async (act: () => Promise<unknown>) => {
    const begin = performance.now();
    await act();
    return performance.now() - begin;
  };

  let times: number[] = [];
  let ended = false;
  const updating = Array.from({ length: writers }, (_, writer) =>
    withClient(url, async (client) => {
      for (let round = 0; !ended; round++) {
        const campaign = 1 + ((writer + round * writers) % campaigns);
        times.push(await timed(() => client.query(updateText, [campaign])));
      }
    }),
  );
  await query(url, 'select pg_sleep($1)', [seconds]);
  note('an update, median', median(times) ?? 0);
  note('the longest update before', max(times) ?? 0);
  times = [];
  note('migrate', await timed(() => migrate(address)));
  ended = true;
  await Promise.all(updating);
  note('the longest update meanwhile', max(times) ?? 0);

  await query(url, 'vacuum analyze');
  await withClient(url, async (client) => {
    note('a look, nothing new, median', await look(client, 0));
    note('a look, 1,000 changes, median', await look(client, 1_000));
  });
  note('migrate again', await timed(() => migrate(address)));
  await query(
    url,
    "set session_replication_role = replica; update campaign_mirror.mirror_history set transaction_id = '9000000000'",
  );
  note('migrate, all changes ahead', await timed(() => migrate(address)));
  console.log(table(rows));
  return [];
}

async function look(client: pg.Client, changes: number): Promise<number> {
  const times: number[] = [];
  const text = 'select * from campaign_mirror.changes_since($1)';
  let { position } = (await client.query(text, [null])).rows[0];
  for (let round = 0; round < (changes === 0 ? looks : 50); round++) {
    if (changes > 0) await client.query(changeText, [1, changes]);
    const begin = performance.now();
    const { rows } = await client.query(text, [position]);
    times.push(performance.now() - begin);
    if (rows.length !== changes) throw new Error(`${rows.length} changes, not ${changes}`);
    position = rows[0]?.position ?? position;
  }
  return median(times) ?? 0;
}
