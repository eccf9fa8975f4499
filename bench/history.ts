import { type Database, openDatabases } from './databases/database.ts';
import { newKeys } from './databases/seed.ts';
import { run } from './processes/run.ts';
import { noWords, wordsOf } from './processes/words.ts';

const usage = `npm run bench:history

  how much a million changes of mirrors take on the disk, index included`;

const changes = 1_000_000;
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

async function measure(database: Database): Promise<string> {
  await database.query(address);
  for (let written = 0; written < changes; written += batch) {
    await database.query(record, [written + 1, written + batch, campaigns]);
  }
  await database.query('vacuum analyze campaign_mirror.mirror_history');
  const [row] = await database.query<
    Record<'count' | 'shortest' | 'mean' | 'longest' | 'table' | 'index', string>
  >(
    `select count(*), min(length(address_after)) as shortest, round(avg(length(address_after))) as mean,
      max(length(address_after)) as longest, pg_table_size('campaign_mirror.mirror_history') as table,
      pg_indexes_size('campaign_mirror.mirror_history') as index
    from campaign_mirror.mirror_history`,
  );
  if (Number(row?.count) !== changes) throw new Error(`there are ${row?.count} changes, not ${changes}`);
  return [
    `${changes} changes of ${campaigns} campaigns, addresses of ${row?.shortest} to ${row?.longest} characters, ${row?.mean} on average`,
    line('table', Number(row?.table)),
    line('index', Number(row?.index)),
    line('both', Number(row?.table) + Number(row?.index)),
  ].join('\n');
}

function line(name: string, bytes: number): string {
  return `${name}: ${(bytes / changes).toFixed(0)} bytes a change, ${(bytes / 2 ** 20).toFixed(0)} MiB a million`;
}

wordsOf(usage, noWords);
await run(async (cleanup) => {
  const { server, ours } = await openDatabases({ campaigns, keys: newKeys(100) }, cleanup);
  console.log(`${server}\n${await measure(ours)}`);
  return 0;
});
