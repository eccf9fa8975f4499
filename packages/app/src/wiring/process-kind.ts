import { setTimeout as pause } from 'node:timers/promises';
import { Container } from 'inversify';
import { aborted } from '../process/life.ts';
import { endParts, type Part } from './parts.ts';
import type { Given } from './tokens.ts';

/** The parts of a process: a single one, the primary, or a worker. */
export interface ProcessKind {
  /** In the order of their dependencies. */
  readonly parts: readonly Part[];
  /** Stops between and within its steps when the process is to end. True when it serves. @throws ClearError */
  start(container: Container): Promise<boolean>;
}

/** From start to end (contract: life). Never rejects. */
export async function live(kind: ProcessKind, { settings, log, life }: Given): Promise<void> {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(...kind.parts.map(({ module }) => module));
  let startFault: unknown;
  try {
    const serves = await kind.start(container);
    await aborted(life.ending);
    // After a failure, new callers are not served any longer.
    if (serves && !life.failing.aborted) {
      await pause(settings.SHUTDOWN_DELAY, undefined, { signal: life.failing }).catch(() => {});
    }
  } catch (error) {
    startFault = error;
    life.failToStart(error);
  }
  await endParts(container, kind.parts, life, log, startFault);
  log.info({ event: 'stopped' }, 'stopped');
}
