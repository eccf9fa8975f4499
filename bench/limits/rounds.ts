import type { Databases } from '../databases/database.ts';
import type { Seed } from '../databases/seed.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import { cpuOfEndedChildren, cpuOfFamily } from '../processes/process-figures.ts';
import type { LimitCase } from './cases.ts';
import { type PgbenchCase, pgbench } from './pgbench.ts';

/** Turns and updates a second, and microseconds of CPU time an update. */
export interface LimitFigures {
  readonly turns: number;
  readonly updates: number;
  readonly postgres: number | undefined;
  readonly driver: number | undefined;
}

/** Each connection has its next turn as soon as the one before is over. */
export async function measureLimit(
  one: LimitCase,
  { ours, postmaster }: Databases,
  seconds: number,
): Promise<LimitFigures> {
  const cpu = () => ({
    driver: process.cpuUsage(),
    postgres: postmaster === undefined ? undefined : cpuOfFamily(postmaster),
  });
  const turnsUntil = (end: number) =>
    Promise.all(
      Array.from({ length: one.connections }, () =>
        ours.session(async (client) => {
          if (one.first) await client.query(one.first);
          let turns = 0;
          for (; performance.now() < end; turns++) {
            const { rowCount } = await one.turn(client);
            if (rowCount !== one.updates) throw new Error(`${one.name} made ${rowCount} updates`);
          }
          return turns;
        }),
      ),
    );
  await turnsUntil(performance.now() + 1_000);
  const before = cpu();
  const begun = performance.now();
  const turns = (await turnsUntil(begun + seconds * 1_000)).reduce((sum, some) => sum + some, 0);
  const passed = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before.driver);
  const postgres = cpu().postgres;
  const updates = turns * one.updates;
  return {
    turns: turns / passed,
    updates: updates / passed,
    postgres: each(before.postgres, postgres, updates),
    driver: (user + system) / updates,
  };
}

/** The history tells whether each statement has set a mirror. */
export async function measureByPgbench(
  one: PgbenchCase,
  { ours, postmaster }: Databases,
  seed: Seed,
  seconds: number,
  cleanup: Cleanup,
): Promise<LimitFigures> {
  const recorded = async () => {
    const [row] = await ours.query<{ count: number }>(
      'select count(*)::int from campaign_mirror.mirror_history',
    );
    return row?.count ?? 0;
  };
  const cpu = () => ({
    driver: cpuOfEndedChildren(),
    postgres: postmaster === undefined ? undefined : cpuOfFamily(postmaster),
  });
  await pgbench(one, 1, seed, ours.address, cleanup);
  const [history, before] = [await recorded(), cpu()];
  const { statements, rate } = await pgbench(one, seconds, seed, ours.address, cleanup);
  const after = cpu();
  const set = (await recorded()) - history;
  if (one.isRecorded && set !== statements)
    throw new Error(`${one.name}: ${statements} statements set ${set}`);
  return {
    turns: rate,
    updates: rate,
    postgres: each(before.postgres, after.postgres, statements),
    driver: each(before.driver, after.driver, statements),
  };
}

function each(from: number | undefined, to: number | undefined, count: number): number | undefined {
  return from === undefined || to === undefined ? undefined : (to - from) / count;
}
