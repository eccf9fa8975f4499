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

/** Where the data and the programs are, and who is told what happens. */
export interface EmbeddedOptions<Role extends string> {
  /** The data folder (DATA_DIR). Created if missing; the permissions of an existing one are never changed. */
  folder: string;
  /** The project of the programs. A copy that root makes of them is kept as long as this folder exists. */
  project: string;
  /** The names of the database roles of a new cluster; not secret. The owner's role owns the database. */
  roles: Readonly<Record<Role | 'owner', string>>;
  onEvent?: EmbeddedEvents;
  /** The database was lost for good: the restarts are used up, or it has another service. */
  onGivenUp?: (error: Error) => void;
  /** Server settings, such as `{ fsync: 'off' }` for tests. Only those of the process that starts the server apply. */
  settings?: ServerSettings;
  bounds?: Partial<SupervisionBounds>;
}

/** A membership in the data folder's database: it runs as long as it has members. */
export interface EmbeddedDatabase<Role extends string> {
  /** The address to connect as a role, or as the superuser. */
  address(user: Role | 'owner' | 'superuser'): DatabaseAddress;
  /** Makes this process the one service of the data folder. @throws EmbeddedError if another running process is the service of this data folder */
  becomeService(): Promise<void>;
  /** Ends the membership. The last member stops the database and waits for its end. Never rejects. */
  leave(): Promise<void>;
}

/** Starts the data folder's database, or joins it if it runs. @throws EmbeddedError that says what to do */
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
    becomeService: () => becomeService(supervision, cluster),
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

/** If the connection is lost, the service registers again on the next one. */
async function becomeService(supervision: Supervision, cluster: Cluster): Promise<void> {
  for (let tries = 1; ; tries++) {
    const client = await supervision.connection();
    if (client === undefined) throw new Error('the embedded database was given up');
    try {
      await registerService(client, cluster);
      return supervision.holdService();
    } catch (error) {
      if (tries === 3 || !isAbsence(error)) throw error;
      await pause(50);
    }
  }
}
