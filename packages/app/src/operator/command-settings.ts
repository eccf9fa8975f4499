import { type Call, ClearError, printable } from '@campaign-mirror/adapters-cli/terminal';
import { type ReadSettings, readSettings } from '../settings/read-settings.ts';

type CommandSettings = Exclude<ReadSettings, { wrong: unknown }>;

/** Read once: files that they name may be pipes. */
const ofCalls = new WeakMap<Call, CommandSettings>();

/** The settings of a command. Reports likely mistakes, once per call. @throws ClearError when a setting is wrong */
export function readCommandSettings(call: Call): CommandSettings {
  const known = ofCalls.get(call);
  if (known) return known;
  const read = readSettings(call.environment);
  if ('wrong' in read) throw new ClearError(read.wrong.map(printable).join('\n'), 'usage');
  ofCalls.set(call, read);
  for (const note of read.notes) call.output.note(printable(note));
  return read;
}
