/** One act of the operator: the actor, and the identifier that its audit and history rows share. */
export interface OperatorAct {
  /** A person or a program, as the driving adapter names it: 1 to 200 characters on one line. */
  readonly operator: string;
  /** 1 to 128 visible ASCII characters. */
  readonly requestId: string;
}
