import type { Log } from '../logging/log.ts';
import type { LogLines } from '../logging/log-lines.ts';
import type { Life } from '../process/life.ts';
import type { Settings } from '../settings/settings.ts';

/** What the modules get from outside the container; what they make for each other has tokens. */
export interface Given {
  readonly settings: Settings;
  readonly log: Log;
  readonly lines: LogLines;
  /** Lost lines of the log so far. */
  readonly lostLines: () => number;
  readonly life: Life;
}
