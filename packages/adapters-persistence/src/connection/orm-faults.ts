import { Unavailable } from '@campaign-mirror/domain';
import { DriverException } from '@mikro-orm/core';
import { portFault } from './database-faults.ts';

/** What a port throws for a fault wrapped by MikroORM, whose class hides that the driver's error had no code. */
export function ormFault(error: unknown): unknown {
  if (error instanceof DriverException && error.code === undefined) {
    return new Unavailable('the database did not answer', { cause: error });
  }
  return portFault(error);
}
