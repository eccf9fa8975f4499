import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import {
  type DatabaseAddress,
  defaultPoolLimits,
  type OpenPool,
  type PoolLimits,
} from '@campaign-mirror/adapters-persistence/sql';
import { label, type OperatorAct } from '@campaign-mirror/domain';
import type { DatabaseAccess } from '../database/database-access.ts';

/** The database and the act of a command, on which its adapters are made. */
export interface Operator<Opened extends OpenPool> {
  readonly database: Opened;
  readonly act: OperatorAct;
}

/** Opens as much as is needed: a pool, or MikroORM on one. */
export type Open<Opened extends OpenPool> = (
  address: DatabaseAddress,
  limits: PoolLimits,
  applicationName: string,
) => Opened | Promise<Opened>;

/** Runs the act as the operator's role, then closes the database. `operator`: who acts. */
export async function asOperator<T, Opened extends OpenPool>(
  open: Open<Opened>,
  access: DatabaseAccess,
  run: (operator: Operator<Opened>) => Promise<T>,
  operator: string,
  limits: Partial<PoolLimits> = {},
): Promise<T> {
  const database = await open(
    access.address('operator'),
    { ...defaultPoolLimits, size: 2, ...limits },
    'campaign-mirror operator',
  );
  try {
    return await run({ database, act: { operator, requestId: `operator-${randomUUID()}` } });
  } finally {
    await database.close();
  }
}

/**
 * Who calls the command: the user of the operating system, or under `sudo` the user who called it. Only root is
 * believed about that: anybody else could name another user.
 */
export function person({ SUDO_USER = '' }: NodeJS.ProcessEnv): string {
  const behind = process.getuid?.() === 0 && label(SUDO_USER);
  if (behind) return behind;
  try {
    return userInfo().username;
  } catch {
    // A user without an entry, as in containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
