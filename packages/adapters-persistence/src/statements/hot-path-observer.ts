/** What is batched: look-ups of keys and campaigns, or updates of mirrors. */
export type BatchKind = 'look-up' | 'update';

/** A call that shares its statement with others. */
export interface Call {
  /** The observer's value for it on arrival. */
  readonly origin: unknown;
}

/**
 * Observes what the hot path does at the database, for metrics and traces. Filled by the app. It is called with every
 * statement, so it has to be cheap, and it must not throw: that fails the calls concerned.
 */
export interface HotPathObserver {
  /** A call has arrived. The result, such as its trace, is kept until its statement begins. */
  origin?(): unknown;
  /** These calls form a batch. Their first statement begins before anything else happens. */
  batch(kind: BatchKind, size: number, members: readonly Call[]): void;
  /** The statement that begins next, before anything else happens, belongs to this call alone. */
  alone?(call: Call): void;
  /** A statement is passed to the pool. The result is passed to `ended`. */
  began(statement: string): unknown;
  /**
   * It was answered after this many milliseconds, including the wait for a connection; or failed, with the driver's
   * error.
   */
  ended(statement: string, milliseconds: number, began: unknown, error?: unknown): void;
  /**
   * PostgreSQL ended it in favor of another transaction, or its plan was stale: it is run again. Takes the result of
   * `began`; its own result is passed to the `ended` of the second attempt.
   */
  retried(statement: string, began: unknown): unknown;
  /** The members of a batch run one by one, after a fault that one of them may have caused for all. */
  splitUp(kind: BatchKind): void;
  /**
   * PostgreSQL rejected a statement for many itself, whatever its values, such as for a missing right: an error in this
   * program or its setup.
   */
  refused(statement: string, error: unknown): void;
  /** An update leaves its batch: its campaign or mirror is locked. */
  setAside(): void;
  /** A campaign changed while an update waited for its row: nothing was set, and it is judged again. */
  judgedAgain(): void;
}

/** Observes nothing. */
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
