import { ClearError } from '../clear-error.ts';
import { type ReadSettings, readSettings } from '../read-settings.ts';
import type { Settings } from '../settings.ts';
import { printable, tell } from './output.ts';

/** What may not be what was meant was told of, whoever asks for the settings again. */
let isTold = false;

/** @throws ClearError when one is wrong */
export function readCommandSettings(): Exclude<ReadSettings, { wrong: unknown }> {
  const read = readSettings(process.env);
  if ('wrong' in read) throw new ClearError(read.wrong.map(printable).join('\n'), 'usage');
  if (!isTold) for (const note of read.notes) tell(printable(note));
  isTold = true;
  return read;
}

/** @throws ClearError when one is wrong */
export function commandSettings(): Settings {
  return readCommandSettings().settings;
}
