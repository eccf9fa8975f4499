/** What goes together: look-ups of keys and campaigns, or updates of mirrors. */
export type BatchKind = 'look-up' | 'update';

/** A call that waits for a statement which it shares with others. */
export interface Call {
  /** What the observer gave for it when it came. */
  readonly origin: unknown;
}

/**
 * Hears what the hot path does at the database, for metrics and traces. The app fills it. It is called with every
 * statement, so it has to be cheap, and it must not throw: that fails the calls which it was told of, and no others.
 */
export interface HotPathObserver {
  /** A call has come. What is given back, such as the trace that it belongs to, is kept until its statement begins. */
  origin?(): unknown;
  /** So many calls go together. Their first statement begins before anything else happens. */
  batch(kind: BatchKind, size: number, members: readonly Call[]): void;
  /** The statement that begins now, before anything else happens, is that of this call alone. */
  alone?(call: Call): void;
  /** A statement is handed to the pool. What is given back comes along with its end. */
  began(statement: string): unknown;
  /** It was answered after so many milliseconds, waiting for a connection included; or failed, with the driver's error. */
  ended(statement: string, milliseconds: number, began: unknown, error?: unknown): void;
  /**
   * PostgreSQL ended it for another transaction's sake, or its plan was stale: it is run once more. Takes what `began` gave back, and what it
   * gives back comes along with the end of the second try.
   */
  retried(statement: string, began: unknown): unknown;
  /** The members of a batch go one by one, after a fault that one of them may have brought upon all. */
  splitUp(kind: BatchKind): void;
  /** PostgreSQL refused a statement for many itself, whatever its values, such as for a missing right: a fault of ours. */
  refused(statement: string, error: unknown): void;
  /** An update leaves its batch: its campaign or mirror is held. */
  setAside(): void;
  /** A campaign changed while an update waited for its row: nothing was set, and it is judged again. */
  judgedAgain(): void;
}

export const silentHotPathObserver: HotPathObserver = {
  batch: () => {},
  began: () => undefined,
  ended: () => {},
  retried: () => {},
  splitUp: () => {},
  refused: () => {},
  setAside: () => {},
  judgedAgain: () => {},
};
