import { type Call, ClearError, printable } from '@campaign-mirror/adapters-cli/terminal';
import { type ReadSettings, readSettings } from '../settings/read-settings.ts';

/** The settings of a command. Reports likely mistakes, once per call. @throws ClearError when a setting is wrong */
export function readCommandSettings(call: Call): Exclude<ReadSettings, { wrong: unknown }> {
  const read = readSettings(call.environment);
  if ('wrong' in read) throw new ClearError(read.wrong.map(printable).join('\n'), 'usage');
  if (!call.notesShown) for (const note of read.notes) call.output.note(printable(note));
  call.notesShown = true;
  return read;
}
