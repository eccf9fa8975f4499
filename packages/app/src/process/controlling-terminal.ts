import { closeSync, constants, openSync } from 'node:fs';

/**
 * Whether a terminal stands behind this process, whatever its input and output are: SIGHUP then says that it was
 * hung up. To be asked at the start, since then it is gone.
 */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
