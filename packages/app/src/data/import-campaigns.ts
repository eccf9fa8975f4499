import { EncodingFault, PostgresCampaignImport } from '@campaign-mirror/adapters-persistence/sql';
import type { ImportOutcome } from '@campaign-mirror/domain';
import { ClearError } from '../logging/clear-error.ts';
import type { Acting } from '../operator/command-database.ts';
import { type GivenFile, readShown } from '../terminal/given-file.ts';
import { orStopped } from '../terminal/interruption.ts';
import { importLines } from './campaign-csv.ts';
import { tellOfBadLine } from './line-faults.ts';

/** Imports a CSV file of campaigns, or tells of each of its bad lines. @throws ClearError, Unavailable */
export async function importCampaigns(
  { database, act, settings, call }: Acting,
  file: GivenFile,
  json: boolean | undefined,
): Promise<ImportOutcome> {
  const { output, interruption } = call;
  const bytes = readShown(call, 'Reading', file);
  try {
    return await new PostgresCampaignImport(database.pool, act, interruption.signal).importAll(
      file.name,
      importLines(bytes, settings.MIRROR_HOST_DENYLIST),
      (bad) => tellOfBadLine(output, json, bad),
    );
  } catch (error) {
    if (error instanceof EncodingFault) throw new ClearError(error.message);
    throw orStopped(error, 'Stopped. Nothing was imported.');
  }
}
