import { setTimeout as pause } from 'node:timers/promises';
import type { Checks } from '@campaign-mirror/adapters-http';

/** So long the database may take to answer somebody who looks, in milliseconds; what asks it has a limit of its own. */
const patience = 1_000;

/** What is asked for, or that the database is late. */
export async function checksInTime(asked: Promise<Checks>): Promise<Checks> {
  const impatient = new AbortController();
  const late = pause(patience, { database: false }, { signal: impatient.signal }).catch(() => ({}));
  try {
    return await Promise.race([asked, late]);
  } finally {
    impatient.abort();
  }
}
