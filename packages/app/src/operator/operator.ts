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

/** What a command of the operator acts with: its adapters are made on this. */
export interface Operator<Opened extends OpenPool> {
  readonly database: Opened;
  readonly act: OperatorAct;
}

/** A statement of a command may take its time where it acts on everything there is. */
export const unhurried: Partial<PoolLimits> = { statementTimeout: 0, queryTimeout: 0 };

/** A step of many is done in far less; counting all that there is before may take so long. */
export const inManySteps: Partial<PoolLimits> = { statementTimeout: 60_000, queryTimeout: 65_000 };

interface Acting extends Partial<PoolLimits> {
  /** Who acts; else it is the person of this environment. */
  readonly operator?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Opens the database as far as it is needed: a pool, or MikroORM on one. */
export type Open<Opened extends OpenPool> = (
  address: DatabaseAddress,
  limits: PoolLimits,
  applicationName: string,
) => Opened | Promise<Opened>;

/** Lets the operator act, as the operator's role, then lets go of the database. */
export async function asOperator<T, Opened extends OpenPool>(
  open: Open<Opened>,
  access: DatabaseAccess,
  run: (operator: Operator<Opened>) => Promise<T>,
  { environment = {}, operator = person(environment), ...limits }: Acting = {},
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
 * Who calls the command: the user of the operating system, behind `sudo` the one who called it. Only root is asked for
 * that one: anybody else could name whomever they like.
 */
function person({ SUDO_USER = '' }: NodeJS.ProcessEnv): string {
  const behind = process.getuid?.() === 0 && label(SUDO_USER);
  if (behind) return behind;
  try {
    return userInfo().username;
  } catch {
    // A user without an entry, as containers have them.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
