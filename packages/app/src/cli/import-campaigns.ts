import { EncodingFault, PostgresCampaignImport } from '@campaign-mirror/adapters-persistence';
import type { ImportOutcome } from '@campaign-mirror/domain';
import { ClearError } from '../clear-error.ts';
import { importLines } from './campaign-csv.ts';
import type { Acting } from './command-database.ts';
import { type GivenFile, readShown } from './given-file.ts';
import { orStopped } from './interruption.ts';
import { badLineInWords } from './line-faults.ts';
import { print, tellInTurn } from './output.ts';

/** Imports a CSV file of campaigns, or tells of each of its bad lines. @throws ClearError, Unavailable */
export async function importCampaigns(
  { database, act, settings, interruption: { signal } }: Acting,
  file: GivenFile,
  json: boolean | undefined,
): Promise<ImportOutcome> {
  const bytes = readShown('Reading', file, signal);
  const tellOf = json ? print : tellInTurn;
  try {
    return await new PostgresCampaignImport(database.pool, act, signal).importAll(
      file.name,
      importLines(bytes, settings.MIRROR_HOST_DENYLIST),
      (bad) => tellOf(badLineInWords(json, bad)),
    );
  } catch (error) {
    if (error instanceof EncodingFault) throw new ClearError(error.message);
    throw orStopped(error, 'Stopped. Nothing was imported.');
  }
}
