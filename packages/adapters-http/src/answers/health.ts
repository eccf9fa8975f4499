/** Whether each thing that is needed is there, by its name. */
export type Checks = Readonly<Record<string, boolean>>;

/** What runs here; for the body of `/version`. */
export interface Version {
  readonly name: string;
  readonly version: string;
  readonly node: string;
  /** The last migration that this version needs. */
  readonly migration: string;
}
