import { within } from '@campaign-mirror/adapters-persistence/sql';
import type { Container, ContainerModule } from 'inversify';
import type { Log } from '../logging/log.ts';
import type { Life } from '../process/life.ts';

/** A part of a process, by its name in the log. */
export interface Part {
  readonly name: string;
  readonly module: ContainerModule;
  /** How long its end may take, in milliseconds: longer than its own time limits. */
  readonly timeout: number;
}

export const timeouts = {
  own: 3_000,
  /** The embedded one gets 20 s to write everything, then 15 s for an immediate shutdown. */
  database: 45_000,
} as const;

/**
 * Ends the parts one after the other, the last first. One that hangs is logged and skipped. Never rejects.
 * `startFault`: a part that could not be made cannot be ended either, and was reported.
 */
export async function endParts(
  container: Pick<Container, 'unloadAsync'>,
  parts: readonly Part[],
  life: Life,
  log: Log,
  startFault: unknown,
): Promise<void> {
  for (const { name, module, timeout } of parts.toReversed()) {
    const ended = container.unloadAsync(module).then(() => true);
    try {
      if (!(await within(timeout, ended, false))) {
        life.hung(name, `${name} did not end within ${timeout} ms`, { milliseconds: timeout });
      }
    } catch (error) {
      if (error === startFault) continue;
      life.exitCode = 1;
      log.error({ event: 'stop-failed', part: name, err: error }, `${name} could not be stopped`);
    }
  }
}
