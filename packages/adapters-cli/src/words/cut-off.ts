import type { Unavailable } from '@campaign-mirror/domain';
import { ClearError } from '../terminal/clear-error.ts';

/** A statement or transaction that the database reports as rolled back. */
export interface Undone {
  readonly what: string;
  /** What to do before trying again. */
  readonly remedy?: string;
}

/** Undefined if the outcome is unknown, as when a connection is lost. */
export type UndoneBy = (error: unknown) => Undone | undefined;

/**
 * For an act of many transactions that the database ended; `done` says what is committed, undefined if it only reads.
 */
export function cutOff(cause: Unavailable, done: string | undefined, undoneBy: UndoneBy): ClearError {
  const undone = undoneBy(cause);
  const what = undone?.what ?? 'the database became unavailable';
  const state = done && !undone ? `${done}, and perhaps some more` : (done ?? 'nothing was done');
  const next = [undone?.remedy, `run it again${done ? ' to go on' : ''}`].filter(Boolean).join(', then ');
  const fault = new ClearError(`${what}: ${state}; ${next}`, 'away');
  fault.cause = cause;
  return fault;
}
