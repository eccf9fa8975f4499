import { openDatabases } from './databases/database.ts';
import { newKeys } from './databases/seed.ts';
import { commandLine, wholeNumber } from './processes/command-line.ts';
import { run } from './processes/run.ts';

const campaigns = 10_000;
/** So many changes are written by one statement. */
const batch = 100_000;

/**
 * What so many updates leave in the history: their columns, in the order of their times, one campaign after the
 * other as chance has it, so that the index grows as it does in life. Addresses have 60 to 100 characters.
 */
const record = `
  insert into campaign_mirror.mirror_history
    (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
  select campaigns.id, mirrors.id, 'key', access_keys.id, campaigns.owner_id, address(n), address(n + 1),
    now() + n * interval '1 millisecond', gen_random_uuid()
  from generate_series($1::int, $2::int) n
  join campaign_mirror.campaigns on campaigns.id = 1 + n::bigint * 7919 % $3
  join campaign_mirror.mirrors on mirrors.campaign_id = campaigns.id
  join campaign_mirror.access_keys on access_keys.owner_id = campaigns.owner_id
  order by n`;

const address = `
  create function address(n int) returns text immutable language sql as $$
    select 'https://landing-' || 10 + n % 90 || '.example.com/' || left(md5(n::text) || md5(n::text), 12 + n % 41)
      || '?click={click_id}'
  $$`;

const size = `
  select count(*)::int, min(length(address_after)) as shortest, round(avg(length(address_after)))::int as mean,
    max(length(address_after)) as longest, pg_table_size('campaign_mirror.mirror_history')::float8 as table,
    pg_indexes_size('campaign_mirror.mirror_history')::float8 as index
  from campaign_mirror.mirror_history`;

const { changes } = commandLine(
  'bench:history',
  'Measures what changes of mirrors take on the disk, index included.',
)
  .option('--changes <N>', 'how many, in steps of 100,000', wholeNumber(batch, 100_000_000), 1_000_000)
  .parse()
  .opts();
await run(async (cleanup) => {
  const filling = { campaigns, keys: newKeys(100) };
  const { server, first: database } = await openDatabases({ filling }, cleanup);
  await database.query(address);
  for (let written = 0; written < changes; written += batch) {
    await database.query(record, [written + 1, written + batch, campaigns]);
  }
  await database.query('vacuum analyze campaign_mirror.mirror_history');
  type Size = Record<'count' | 'shortest' | 'mean' | 'longest' | 'table' | 'index', number>;
  const { count, shortest, mean, longest, table, index } = (await database.query<Size>(size))[0] as Size;
  console.log(server);
  console.log(
    `${count} changes of ${campaigns} campaigns, addresses of ${shortest} to ${longest} characters, ${mean} on average`,
  );
  for (const [name, bytes] of Object.entries({ table, index, both: table + index })) {
    const each = (bytes / count).toFixed(0);
    console.log(
      `${name}: ${each} bytes a change, ${((bytes / count / 2 ** 20) * 1_000_000).toFixed(0)} MiB a million`,
    );
  }
  return count === changes ? [] : [`there are ${count} changes, not ${changes}`];
});
