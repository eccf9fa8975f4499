import type { HostDenylist, ImportOutcome } from '@campaign-mirror/domain';
import type { OperatorPorts } from '../commands/operator.ts';
import type { Call } from '../terminal/call.ts';
import { type GivenFile, readShown } from '../terminal/given-file.ts';
import { orStopped } from '../terminal/interruption.ts';
import { tellOfBadLine } from '../words/line-faults.ts';
import { importLines } from './campaign-csv.ts';

/** Imports a CSV file of campaigns, or reports each of its bad lines. @throws ClearError, Unavailable */
export async function importCampaigns(
  imports: OperatorPorts['imports'],
  deniedHosts: HostDenylist,
  call: Call,
  file: GivenFile,
  json: boolean | undefined,
): Promise<ImportOutcome> {
  const bytes = readShown(call, 'Reading', file);
  try {
    return await imports.importAll(file.name, importLines(bytes, deniedHosts), (bad) =>
      tellOfBadLine(call.output, json, bad),
    );
  } catch (error) {
    throw orStopped(error, 'Stopped. Nothing was imported.');
  }
}
