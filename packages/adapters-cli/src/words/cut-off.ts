import type { Unavailable } from '@campaign-mirror/domain';
import { ClearError } from '../terminal/clear-error.ts';

/** What a statement or a transaction came to that the database says it has undone. */
export interface Undone {
  readonly what: string;
  /** What to do before it is tried again. */
  readonly remedy?: string;
}

/** Undefined where the outcome is unknown, as when a connection is lost. */
export type UndoneBy = (error: unknown) => Undone | undefined;

/** For an act of many transactions that the database ended; `done` tells what is committed, undefined where it only reads. */
export function cutOff(cause: Unavailable, done: string | undefined, undoneBy: UndoneBy): ClearError {
  const undone = undoneBy(cause);
  const what = undone?.what ?? 'the database went away';
  const state = done && !undone ? `${done}, and perhaps some more` : (done ?? 'nothing was done');
  const next = [undone?.remedy, `run it again${done ? ' to go on' : ''}`].filter(Boolean).join(', then ');
  const fault = new ClearError(`${what}: ${state}; ${next}`, 'away');
  fault.cause = cause;
  return fault;
}
