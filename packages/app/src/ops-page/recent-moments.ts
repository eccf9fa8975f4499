import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';
import type { Moment } from './moment.ts';

/** In milliseconds. */
export const betweenMoments = 5_000;
/** Ten minutes: one more than the number of steps. */
export const maxMoments = 121;

/** The last minutes, in memory, the oldest first: the oldest moments are dropped. */
export function recentMoments(takeOne: () => Promise<Moment>, failed: (error: unknown) => void) {
  const all: Moment[] = [];
  let timer: NodeJS.Timeout | undefined;
  let taking: Promise<void> | undefined;

  const keepOne = async () => {
    try {
      all.push(await takeOne());
      if (all.length > maxMoments) all.shift();
    } catch (error) {
      failed(error);
    }
  };
  /** One at a time. Never rejects: a missing moment is harmless. */
  const take = () => {
    taking ??= keepOne().finally(() => {
      taking = undefined;
    });
    return taking;
  };
  return {
    all: all as readonly Moment[],
    take,
    /** Takes one now, and then one at each step. */
    start: () => {
      void take();
      timer = setInterval(() => void take(), betweenMoments).unref();
    },
    stop: () => clearInterval(timer),
  };
}

export type RecentMoments = ReturnType<typeof recentMoments>;

/** A fault repeats; milliseconds. */
const betweenLines = 60_000;

/** Logs what prevented the page, or a moment of it. */
export function pageFaults(log: Log): (error: unknown) => void {
  const throttle = throttled(betweenLines);
  return (error) =>
    throttle((untold) =>
      log.error({ event: 'page-failed', untold, err: error }, 'the page for operators could not be made'),
    );
}
