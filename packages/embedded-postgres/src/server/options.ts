/** Settings of the server by their names, as in postgresql.conf. */
export type ServerSettings = Record<string, string>;

/** All fields of a connection: the driver reads none from PG* variables. */
export interface DatabaseAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** `awaited`: the start waits until another program that uses the database ends. */
export type EmbeddedEvent = 'awaited' | 'starting' | 'started' | 'stopped';

/** The data folder, its roles, and what to call on events. */
export interface EmbeddedOptions<Role extends string> {
  /** The data folder. Created if missing; the permissions of an existing one are never changed. */
  folder: string;
  /** The name of the database. It may appear in messages. */
  database: string;
  /** The names of the database roles of a new cluster. The owner's role owns the database. */
  roles: Readonly<Record<Role | 'owner', string>>;
  /** Whether this is the folder's one service, whose server others use. Other programs start it in turn. */
  service?: boolean;
  /** Only uses the server of the service, as a program must that does not end. */
  besideService?: boolean;
  /** For the application's log; the details contain no secret. Must not throw. */
  onEvent?: (event: EmbeddedEvent, detail: Record<string, unknown>) => void;
  /** Called when the server that this process started ended unexpectedly. The next start recovers the data. */
  onLost?: (error: EmbeddedError) => void;
  /** Such as `{ work_mem: '64MB' }`. Only those of the process that starts the server apply. */
  settings?: ServerSettings;
  /** Ends the start when aborted. */
  signal?: AbortSignal;
}

/** A running database: that of this process, or of the folder's service. */
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
