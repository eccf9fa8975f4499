import { setTimeout as pause } from 'node:timers/promises';
import { isAbsence } from '../postgres-programs/errors.ts';
import { openCluster } from './cluster.ts';
import { host } from './connection.ts';
import { type EmbeddedEvents, type Patience, usualPatience } from './events.ts';
import { databaseName } from './initdb.ts';
import { leaveServer } from './leave.ts';
import { registerService } from './locks.ts';
import { join } from './member.ts';
import { type EmbeddedUser, userNames } from './passwords.ts';
import type { ServerSettings } from './settings.ts';
import { type Supervision, supervise } from './supervision.ts';

export type { EmbeddedEvent, EmbeddedEvents, Patience } from './events.ts';
export type { EmbeddedUser } from './passwords.ts';

/** Every field that a connection needs, so that none is taken from PG* variables. */
export interface DatabaseAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

export interface EmbeddedOptions {
  /** The data folder (DATA_DIR); made if missing, its rights never changed if it is there. */
  folder: string;
  onEvent?: EmbeddedEvents;
  /** The database was lost and could not be brought back: the bounded restarts are used up, or it has another service. */
  onGivenUp?: (error: Error) => void;
  /** Further server settings, such as `{ fsync: 'off' }` for tests. They count for the process that starts the server. */
  settings?: ServerSettings;
  patience?: Partial<Patience>;
}

/** A membership in the data folder's database: it runs as long as it has members. */
export interface EmbeddedDatabase {
  address(user: EmbeddedUser): DatabaseAddress;
  /** Throws a ClearError when another living process is the service of this data folder. */
  becomeService(): Promise<void>;
  /** Gives the membership up; the last one to leave stops the database and waits for its end. Never rejects. */
  leave(): Promise<void>;
}

/** Brings the data folder's database up, or joins the one that runs. Throws a ClearError that says what to do. */
export async function openEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { onEvent = () => {}, onGivenUp = () => {}, settings = {} } = options;
  const patience = { ...usualPatience, ...options.patience };
  const cluster = await openCluster(options.folder, settings.fsync !== 'off', () =>
    onEvent('created', { folder: options.folder }),
  );
  const joined = await join(cluster, settings, undefined, new AbortController().signal, onEvent);
  const { processId, port } = joined;
  onEvent(joined.startedByUs ? 'started' : 'adopted', { processId, port });
  const supervision = supervise(joined, { cluster, settings, patience, onEvent, onGivenUp });
  let left: Promise<void> | undefined;
  return {
    address: (user) => ({
      host,
      port,
      user: userNames[user],
      password: cluster.passwords[user],
      database: databaseName,
    }),
    becomeService: () => becomeService(supervision, (client) => registerService(client, cluster)),
    leave: () => {
      left ??= supervision.end().then((client) => leaveServer(cluster, client, patience, onEvent));
      return left;
    },
  };
}

/** The connection may be lost at any time; then the registration is taken on the next one. */
async function becomeService(
  supervision: Supervision,
  register: (client: Parameters<typeof registerService>[0]) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = await supervision.connection();
    if (client === undefined) throw new Error('the embedded database was given up');
    try {
      await register(client);
      return supervision.holdService();
    } catch (error) {
      if (tries === 3 || !isAbsence(error)) throw error;
      await pause(50);
    }
  }
}
