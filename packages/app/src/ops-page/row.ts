/** A row of a table; `bad`: something is wrong with it. */
export interface Row {
  readonly cells: readonly string[];
  readonly bad?: boolean;
}
