import { within } from '@campaign-mirror/adapters-persistence/sql';
import type { Container, ContainerModule } from 'inversify';
import type { Log } from '../logging/log.ts';
import type { Life } from '../process/life.ts';

/** A part of a process, by the name that the log has for it. */
export interface Part {
  readonly name: string;
  readonly module: ContainerModule;
  /** How long its end may take, in milliseconds: longer than the bounds that it has of its own. */
  readonly timeout: number;
}

export const timeouts = {
  own: 3_000,
  /** The embedded one writes what it holds, is told to drop everything after 20 s, and has 15 s for that. */
  database: 45_000,
} as const;

/**
 * Ends the parts one after the other, the last first. One that hangs is named, and left behind: it does not hold up
 * the others. Never rejects. `startFault`: what could not be made cannot be ended either, and was told of.
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
      log.error({ event: 'stop-failed', part: name, err: error }, `${name} did not end as it should`);
    }
  }
}
