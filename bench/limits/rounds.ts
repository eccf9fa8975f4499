import type { Databases } from '../databases/database.ts';
import { cpuOfEndedChildren, cpuOfFamily } from '../processes/process-figures.ts';

/** Something that PostgreSQL is asked again and again, on so many connections at once. */
export interface LimitCase {
  readonly what: string;
  readonly connections: number;
  /** Updates that one turn makes. */
  readonly updates: number;
  /** Each connection has its next turn as soon as the one before is over. */
  carryOut(seconds: number): Promise<{ turns: number; seconds: number }>;
}

/** Turns and updates a second, and microseconds of CPU time an update. */
interface LimitFigures {
  readonly turns: number;
  readonly updates: number;
  readonly postgres: number;
  readonly driver: number;
}

/** CPU is NaN where it cannot be told. */
export async function measureLimit(
  { updates, carryOut }: LimitCase,
  { postmaster }: Databases,
  seconds: number,
): Promise<LimitFigures> {
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return {
      driver: user + system + (cpuOfEndedChildren() ?? 0),
      postgres: (postmaster && cpuOfFamily(postmaster)) ?? Number.NaN,
    };
  };
  await carryOut(1);
  const before = cpu();
  const done = await carryOut(seconds);
  const after = cpu();
  const count = done.turns * updates;
  return {
    turns: done.turns / done.seconds,
    updates: count / done.seconds,
    postgres: (after.postgres - before.postgres) / count,
    driver: (after.driver - before.driver) / count,
  };
}
