/** All fields of a connection: the driver reads none from PG* variables. */
export type DatabaseAddress = Record<'host' | 'user' | 'password' | 'database', string> & { port: number };

/** The data folder, its roles, and what to call on events. */
export interface EmbeddedOptions<Role extends string> {
  /** The data folder. Created if missing; the permissions of an existing one are never changed. */
  folder: string;
  /** The name of the database. It may appear in messages. */
  database: string;
  /** The names of the database roles of a new cluster. The owner's role owns the database. */
  roles: Readonly<Record<Role | 'owner', string>>;
  /** Whether this is the folder's one service: other programs use its server. Without it, they start one in turn. */
  service?: boolean;
  /** Whether to use only the server of the service, for a program that runs until it is stopped. */
  besideService?: boolean;
  /** For a log, without secrets. `awaited`: the start waits until another program ends. Must not throw. */
  onEvent?: (event: 'awaited' | 'starting' | 'started' | 'stopped', detail: Record<string, unknown>) => void;
  /** Called when the server that this process started ended unexpectedly. The next start recovers the data. */
  onLost?: (error: EmbeddedError) => void;
  /** Settings of the server, such as `{ work_mem: '64MB' }`, if this process starts it. */
  settings?: Record<string, string>;
  /** Ends the start when aborted. */
  signal?: AbortSignal;
}

/** A running database, started by this process or by the service of the folder. */
export interface EmbeddedDatabase<Role extends string> {
  /** The address to connect as a role, or as the superuser. */
  address(user: Role | 'owner' | 'superuser'): DatabaseAddress;
  /** Stops the server if this process started it, and waits for its end, at most 35 s. Never rejects. */
  close(): Promise<void>;
}

/** An error with a message for the user: one line without secrets that names the fault and a remedy. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}
