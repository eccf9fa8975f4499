import { printableLines } from './escapes.ts';

/** Whose matter a fault is: what was asked for, how it was asked, or the database, which is away. */
export type FaultKind = 'refused' | 'usage' | 'away';

/**
 * A fault whose message is all that its reader needs: one line that says what is wrong and what to do.
 * It is printed as it is, without a stack, and holds no secret, nor anything that steers a terminal.
 */
export class ClearError extends Error {
  override name = 'ClearError';
  readonly kind: FaultKind;

  constructor(message: string, kind: FaultKind = 'refused') {
    super(printableLines(message));
    this.kind = kind;
  }
}
