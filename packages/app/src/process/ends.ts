import { within } from '@campaign-mirror/adapters-persistence/sql';
import type { Log } from '../logging/log.ts';
import type { Life } from './life.ts';

/** How long the end of a part may take where it says nothing else, in milliseconds. */
const usualTimeout = 3_000;

interface Part {
  /** Its name in the log. */
  readonly name: string;
  readonly end: () => unknown;
  readonly timeout: number;
}

/** What has to be ended at the end of the process: each part adds itself when it is made. */
export class Ends {
  readonly #parts: Part[] = [];

  /** `timeout`, in milliseconds, is longer than the part's own time limits. */
  add(name: string, end: () => unknown, timeout = usualTimeout): void {
    this.#parts.push({ name, end, timeout });
  }

  /** Ends the parts one after the other, the last made first. One that hangs is logged and skipped. Never rejects. */
  async run(life: Life, log: Log): Promise<void> {
    for (const { name, end, timeout } of this.#parts.toReversed()) {
      const ended = (async () => end())().then(() => true);
      try {
        if (await within(timeout, ended, false)) continue;
        life.hung(name, `${name} did not end within ${timeout} ms`, { milliseconds: timeout });
      } catch (error) {
        life.exitCode = 1;
        log.error({ event: 'stop-failed', part: name, err: error }, `${name} could not be stopped`);
      }
    }
  }
}
