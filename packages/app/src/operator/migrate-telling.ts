import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence/sql';
import { migrateClearly } from '../database/database-start.ts';

/**
 * Migrates, and reports what it waits for. Ctrl-C ends the wait, and the migration until it is committed.
 * @throws ClearError; Interrupted, when nothing was done
 */
export async function migrateTelling(
  address: DatabaseAddress,
  { output, interruption }: Call,
): Promise<void> {
  const done = await migrateClearly(address, (_event, line) => output.tell(line), {
    givenUp: interruption.signal,
  });
  if (!done) interruption.throwIfInterrupted('Nothing was done.');
}
