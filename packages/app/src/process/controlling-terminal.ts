import { closeSync, constants, openSync } from 'node:fs';

/**
 * Whether this process has a controlling terminal, whatever its input and output are: SIGHUP then means that the
 * terminal was closed. Called at startup, because the terminal is gone afterwards.
 */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
