import { migrate, migrationNames, openDatabase } from '@campaign-mirror/adapters-persistence';
import { max, median } from 'd3-array';
import { seed, seedOf } from '../database/seed.ts';
import { describeServer, openServer, query, withClient } from '../database/server.ts';
import { number, table } from '../figures/statistics.ts';
import { machine } from '../machine/cores.ts';
import type { Cleanup } from '../machine/run.ts';
import type { Options } from './bench.ts';

const name = 'campaign_mirror_bench_migration';
const writers = 4;

/** As an update does it, in any version of the schema. */
const updateText = `
  with updated as (
    update campaign_mirror.mirrors set target_url = 'https://new.example/', updated_at = clock_timestamp()
    where campaign_id = $1 returning *
  )
  insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, subject, owner_id, address_before,
    address_after, changed_at, request_id)
  select campaign_id, id, 'jwt', 'bench', owner_id, target_url, target_url, updated_at, 'bench' from updated`;

/** From the first version of the schema with a history to the last one, while others update: how long an update waits. */
export async function migration(
  { campaigns, changes = campaigns, seconds }: Options,
  cleanup: Cleanup,
): Promise<readonly string[]> {
  const server = await openServer(cleanup);
  cleanup.push(() => query(server, `drop database if exists ${name} with (force)`));
  await query(server, `create database ${name}`);
  const url = new URL(name, server);
  const { hostname: host, port, username: user, password } = url;
  const address = { host, port: Number(port), user, password, database: name };
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

  console.log(table(rows));
  return [];
}
