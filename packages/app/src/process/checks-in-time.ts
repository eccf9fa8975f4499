import type { Checks } from '@campaign-mirror/adapters-http';
import { within } from '@campaign-mirror/adapters-persistence/sql';

/** How long the database may take for a health check, in milliseconds; the query has a limit of its own. */
const timeout = 1_000;

/** The checks, or that the database is late. */
export function checksInTime(asked: Promise<Checks>): Promise<Checks> {
  return within(timeout, asked, { database: false });
}
