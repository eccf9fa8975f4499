import type { EmbeddedError } from './errors.ts';

/** Settings of the server by their names, as in postgresql.conf. */
export type ServerSettings = Record<string, string>;

/** Every field that a connection needs, so that none is taken from PG* variables. */
export interface DatabaseAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** `awaited`: another program uses the database, and this one waits until it ends. */
export type EmbeddedEvent = 'awaited' | 'starting' | 'started' | 'stopped';

/** Where the data is, who uses it, and what is called when something happens. */
export interface EmbeddedOptions<Role extends string> {
  /** The data folder. Created if missing; the permissions of an existing one are never changed. */
  folder: string;
  /** The name of the database. It may appear in messages. */
  database: string;
  /** The names of the database roles of a new cluster. The owner's role owns the database. */
  roles: Readonly<Record<Role | 'owner', string>>;
  /** Whether this is the folder's one service, whose server others use. Without it they take turns to start theirs. */
  service?: boolean;
  /** For a program that does not end: it only uses the server of the service, and starts none. */
  besideService?: boolean;
  /** For the application's log; the details contain no secret. Must not throw. */
  onEvent?: (event: EmbeddedEvent, detail: Record<string, unknown>) => void;
  /** Called when the server that this process started ended by itself; the next start recovers the data. */
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
