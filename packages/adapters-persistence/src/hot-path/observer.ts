/** What is batched: look-ups of keys and campaigns, or updates of mirrors. */
export type BatchKind = 'look-up' | 'update';

/**
 * Observes what the hot path does at the database, for metrics. It is called with every statement, so it has to be cheap.
 * It must not throw.
 */
export interface HotPathObserver {
  /** This many calls form a batch. */
  batch?(kind: BatchKind, size: number): void;
  /**
   * A statement was answered after this many milliseconds, including the wait for a connection, or failed with this error
   * of the driver.
   */
  ended?(statement: string, milliseconds: number, error?: unknown): void;
  /**
   * PostgreSQL rejected a batch's statement itself, whatever its values, such as for a missing right: an error in this
   * program or its setup.
   */
  refused?(statement: string, error: unknown): void;
  /** An update leaves its batch: its campaign or mirror is locked. */
  setAside?(): void;
}
