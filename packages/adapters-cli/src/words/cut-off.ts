import { Unavailable } from '@campaign-mirror/domain';
import { ClearError } from '../terminal/errors.ts';

/** A statement or transaction that the database reports as rolled back. */
export interface Undone {
  readonly what: string;
  /** What to do before trying again. */
  readonly remedy?: string;
}

/** Undefined if the outcome is unknown, as when a connection is lost. */
export type UndoneBy = (error: unknown) => Undone | undefined;

/**
 * What ends an act of many transactions: the same error, unless the database ended it. `done` says what is committed,
 * undefined if it only reads.
 */
export function cutOff(error: unknown, done: string | undefined, undoneBy: UndoneBy): unknown {
  if (!(error instanceof Unavailable)) return error;
  const undone = undoneBy(error);
  const what = undone?.what ?? 'the database became unavailable';
  const state = done && !undone ? `${done}, and perhaps some more` : (done ?? 'nothing was done');
  const next = [undone?.remedy, `run it again${done ? ' to go on' : ''}`].filter(Boolean).join(', then ');
  const fault = new ClearError(`${what}: ${state}; ${next}`, 'away');
  fault.cause = error;
  return fault;
}
