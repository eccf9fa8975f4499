import type { Checks } from '@campaign-mirror/adapters-http';
import { within } from '@campaign-mirror/adapters-persistence/sql';

/** So long the database may take to answer somebody who looks, in milliseconds; what asks it has a limit of its own. */
const timeout = 1_000;

/** What is asked for, or that the database is late. */
export function checksInTime(asked: Promise<Checks>): Promise<Checks> {
  return within(timeout, asked, { database: false });
}
