import type { HotPathObserver } from '@campaign-mirror/adapters-persistence';

/** Passes the hot path's events to two observers. The origin of a call is the second one's. */
export function twoObservers(first: HotPathObserver, second: HotPathObserver): HotPathObserver {
  type Begun = readonly [first: unknown, second: unknown];
  const both = (tell: (observer: HotPathObserver) => void) => {
    tell(first);
    tell(second);
  };
  return {
    origin: () => second.origin?.(),
    batch: (kind, size, calls) => both((one) => one.batch(kind, size, calls)),
    alone: (call) => second.alone?.(call),
    began: (statement): Begun => [first.began(statement), second.began(statement)],
    ended: (statement, milliseconds, begun, error) => {
      const [one, other] = begun as Begun;
      first.ended(statement, milliseconds, one, error);
      second.ended(statement, milliseconds, other, error);
    },
    retried: (statement, begun): Begun => {
      const [one, other] = begun as Begun;
      return [first.retried(statement, one), second.retried(statement, other)];
    },
    splitUp: (kind) => both((one) => one.splitUp(kind)),
    refused: (statement, error) => both((one) => one.refused(statement, error)),
    setAside: () => both((one) => one.setAside()),
    judgedAgain: () => both((one) => one.judgedAgain()),
  };
}
