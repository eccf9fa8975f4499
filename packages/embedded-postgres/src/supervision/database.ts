import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, openCluster } from '../cluster/cluster.ts';
import { databaseName } from '../cluster/initdb.ts';
import { type Roles, superuser } from '../cluster/passwords.ts';
import type { ServerSettings } from '../cluster/server-settings.ts';
import { isAbsence } from '../programs/errors.ts';
import { host } from './connection.ts';
import { type EmbeddedEvents, type SupervisionBounds, usualBounds } from './events.ts';
import { leaveServer } from './leave.ts';
import { registerService } from './locks.ts';
import { join } from './member.ts';
import { type Supervision, supervise } from './supervision.ts';

/** Every field that a connection needs, so that none is taken from PG* variables. */
export interface DatabaseAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

export interface EmbeddedOptions<Role extends string> {
  /** The data folder (DATA_DIR); made if missing, its rights never changed if it is there. */
  folder: string;
  /** Whose programs these are: where root has to make a copy of them, it stays as long as this folder is there. */
  project: string;
  /** The names in the database of the roles that a new cluster gets, none of them a secret; the owner's is the database. */
  roles: Readonly<Record<Role | 'owner', string>>;
  onEvent?: EmbeddedEvents;
  /** The database was lost and could not be brought back: the bounded restarts are used up, or it has another service. */
  onGivenUp?: (error: Error) => void;
  /** Further server settings, such as `{ fsync: 'off' }` for tests. They count for the process that starts the server. */
  settings?: ServerSettings;
  bounds?: Partial<SupervisionBounds>;
}

/** A membership in the data folder's database: it runs as long as it has members. */
export interface EmbeddedDatabase<Role extends string> {
  address(user: Role | 'owner' | 'superuser'): DatabaseAddress;
  /** Throws an EmbeddedError when another living process is the service of this data folder. */
  becomeService(): Promise<void>;
  /** Gives the membership up; the last one to leave stops the database and waits for its end. Never rejects. */
  leave(): Promise<void>;
}

/** Brings the data folder's database up, or joins the one that runs. @throws EmbeddedError that says what to do */
export async function openEmbeddedDatabase<Role extends string>(
  options: EmbeddedOptions<Role>,
): Promise<EmbeddedDatabase<Role>> {
  const { folder, project, onEvent = () => {}, onGivenUp = () => {}, settings = {} } = options;
  const bounds = { ...usualBounds, ...options.bounds };
  const roles: Roles = options.roles;
  const durable = settings.fsync !== 'off';
  const onCreated = () => onEvent('created', { folder });
  const cluster = await openCluster({ folder, project, roles, durable, onCreated });
  const joined = await join(cluster, settings, undefined, new AbortController().signal, onEvent);
  const { processId, port } = joined;
  onEvent(joined.startedByUs ? 'started' : 'adopted', { processId, port });
  const supervision = supervise(joined, { cluster, settings, bounds, onEvent, onGivenUp });
  let left: Promise<void> | undefined;
  return {
    address: (user) => ({
      host,
      port,
      ...account(cluster, roles, user),
      database: databaseName,
    }),
    becomeService: () => becomeService(supervision, (client) => registerService(client, cluster)),
    leave: () => {
      left ??= supervision.end().then((client) => leaveServer(cluster, client, bounds, onEvent));
      return left;
    },
  };
}

function account({ passwords }: Cluster, roles: Roles, user: string): { user: string; password: string } {
  const [name, password] = [user === 'superuser' ? superuser : roles[user], passwords[user]];
  if (name === undefined || password === undefined) throw new Error(`no user ${user} of the database`);
  return { user: name, password };
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
