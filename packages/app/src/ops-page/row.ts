/** A row of a table; `bad`: something is wrong. */
export interface Row {
  readonly cells: readonly string[];
  readonly bad?: boolean;
}
