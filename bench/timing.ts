import type { AccessKey } from '@campaign-mirror/domain';
import { median } from 'd3-array';
import { keyHash } from '../packages/adapters-persistence/src/schema/key-hash.ts';
import type { Database } from './databases/database.ts';
import { newKeys } from './databases/seed.ts';
import { mannWhitney } from './figures/mann-whitney.ts';
import { number, table } from './figures/table.ts';
import { type Asked, TimedCaller } from './load/timed-caller.ts';
import { commandLine, wholeNumber } from './processes/command-line.ts';
import { run } from './processes/run.ts';
import { openBench } from './stage/bench.ts';
import { startOurs } from './stage/contenders.ts';

/** Campaign n belongs to owner n modulo owners, plus 1. */
const owners = 1_000;
const campaigns = 100_000;
/** Of the first owner, who asks; the second one has no mirror. */
const [ownDefault, ownWithout, foreign, missing] = [owners, 2 * owners, 3 * owners + 1, 10 * campaigns];

const { samples } = commandLine(
  'bench:timing',
  'Measures whether the time of a refusal tells what its answer does not: pairs of refusals, in turn on one connection.',
)
  .option('--samples <N>', 'requests of each kind', wholeNumber(20, 1_000_000), 5_000)
  .parse()
  .opts();

type State = 'valid' | 'revoked' | 'expired';

/** Keys of the first owner's. */
async function stored(database: Database, state: State): Promise<AccessKey[]> {
  const keys = newKeys(samples);
  await database.query(
    `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, expires_at, revoked_at)
     select hash, '', 'timing', 1, case $2 when 'expired' then now() end, case $2 when 'revoked' then now() end
     from unnest($1::bytea[]) hash`,
    [keys.map(keyHash), state],
  );
  return keys;
}

await run(async (cleanup) => {
  const { databases, cores, seed, where } = await openBench({ campaigns, owners }, cleanup);
  const { first: database } = databases;
  const [revoked, revokedToo, expired, revokedLater] = [
    await stored(database, 'revoked'),
    await stored(database, 'revoked'),
    await stored(database, 'expired'),
    await stored(database, 'valid'),
  ];
  await database.query(
    `update campaign_mirror.campaigns set is_default = true where id = ${ownDefault};
     delete from campaign_mirror.mirrors where campaign_id = ${ownWithout};`,
  );
  await database.query('vacuum analyze');
  const service = await startOurs(database, {}, cores, cleanup);
  const caller = new TimedCaller(service.port);
  const key = seed.keys[0] ?? '';
  const never = Array.from({ length: 4 }, () => newKeys(samples));

  // The service knows these keys, and then they are revoked.
  for (const one of revokedLater) await caller.time({ key: one, campaign: missing, status: 404 });
  await database.query(
    'update campaign_mirror.access_keys set revoked_at = now() where hash = any ($1::bytea[])',
    [revokedLater.map(keyHash)],
  );

  type Kind = (turn: number) => Asked;
  const by = (keys: readonly string[] | undefined): Kind => {
    return (turn) => ({ key: keys?.[turn] ?? '', campaign: foreign, status: 401 });
  };
  const about = (campaign: number, status: number): Kind => {
    return () => ({ key, campaign, status });
  };
  const pairs: [string, Kind, Kind][] = [
    ['401, for comparison: two keys that were never issued', by(never[0]), by(never[1])],
    ['401: never issued / revoked', by(never[2]), by(revoked)],
    ['401: revoked / expired', by(revokedToo), by(expired)],
    ['401: never issued / used before, then revoked', by(never[3]), by(revokedLater)],
    ['403, for comparison: the same request twice', about(foreign, 403), about(foreign, 403)],
    ['403 another owner / 404', about(foreign, 403), about(missing, 404)],
    ['403: another owner / default campaign', about(foreign, 403), about(ownDefault, 403)],
    ['403: another owner / no mirror', about(foreign, 403), about(ownWithout, 403)],
  ];
  const times = pairs.map(() => ({ first: [] as number[], second: [] as number[] }));
  for (let turn = 0; turn < samples; turn++) {
    for (const [at, [, first, second]] of pairs.entries()) {
      const taken = times[at];
      const ask = async (kind: Kind, into?: number[]) => into?.push(await caller.time(kind(turn)));
      // In a random order: the second of two may be quicker because it is the second.
      if (Math.random() < 0.5) {
        await ask(first, taken?.first);
        await ask(second, taken?.second);
      } else {
        await ask(second, taken?.second);
        await ask(first, taken?.first);
      }
    }
  }
  caller.end();
  await service.end();
  const rows = pairs.map(([pair], at) => {
    const { first = [], second = [] } = times[at] ?? {};
    const { superiority, p } = mannWhitney(first, second);
    return {
      pair,
      'median µs': `${number(median(first), 1)} / ${number(median(second), 1)}`,
      'P(first > second)': number(superiority, 3),
      p: p < 0.0001 ? '< 0.0001' : number(p, 4),
    };
  });
  console.log(`${where}\n${samples} of each kind, in turn, on one connection\n\n${table(rows)}`);
  return [];
});
