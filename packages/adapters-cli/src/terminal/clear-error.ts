import { printableLines } from './escapes.ts';

/** The cause of an error: the request itself, the way it was made, or an unavailable database. */
export type FaultKind = 'refused' | 'usage' | 'away';

/**
 * An error whose message is complete: one line that says what is wrong and what to do. It is printed without a stack,
 * and contains no secret and no terminal control characters.
 */
export class ClearError extends Error {
  override name = 'ClearError';
  readonly kind: FaultKind;

  constructor(message: string, kind: FaultKind = 'refused') {
    super(printableLines(message));
    this.kind = kind;
  }
}
