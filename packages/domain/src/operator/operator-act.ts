/** One act of the operator: who acts, and what ties its rows in the audit and in the history together. */
export interface OperatorAct {
  /** A person or a program, in the words of the driving adapter: from 1 to 200 characters on one line. */
  readonly operator: string;
  /** 1 to 128 visible ASCII characters. */
  readonly requestId: string;
}
