import { setTimeout as pause } from 'node:timers/promises';
import { type ByRole, type Cluster, credentialsIn, prepareCluster, prepareFolder } from './cluster.ts';
import { advice, EmbeddedError, oneLine } from './errors.ts';
import { type Lock, openLock } from './lock.ts';
import { logOf, readPostmaster, type ServerSettings, startServer } from './server.ts';

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
  /**
   * Whether this process is the service of the data folder: there is one, and other programs use its server. Any other
   * program uses the service's server; without a service it starts one of its own, and programs take turns.
   */
  service?: boolean;
  /** For a program that does not end: it only uses the server of the service, and does not take turns with others. */
  besideService?: boolean;
  /** For the application's log; the details contain no secret. Must not throw. */
  onEvent?: (event: EmbeddedEvent, detail: Record<string, unknown>) => void;
  /** Called when the server that this process started ended by itself; the next start recovers the data. */
  onLost?: (error: EmbeddedError) => void;
  /** Server settings, such as `{ fsync: 'off' }` for tests. Only those of the process that starts the server apply. */
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

/**
 * Starts the data folder's database as a child of this process, or finds the running one of its service. Waits, at most
 * five minutes, for another program that has it.
 * @throws EmbeddedError that says what to do; the reason of `signal`
 */
export async function openEmbeddedDatabase<Role extends string>(
  options: EmbeddedOptions<Role>,
): Promise<EmbeddedDatabase<Role>> {
  const { folder, database, roles }: { folder: string; database: string; roles: ByRole } = options;
  const late = AbortSignal.timeout(5 * 60_000);
  const signal = options.signal ? AbortSignal.any([late, options.signal]) : late;
  let lock: Lock | undefined;
  try {
    const cluster = await prepareFolder(folder);
    lock = await openLock(cluster.real);
    const running = await awaitTurn(cluster, lock, options, signal);
    if (running) lock.release();
    const { port, close } = running ?? (await runServer(cluster, lock, options, signal));
    const credentials = await credentialsIn(cluster.home, roles);
    const address = (user: string) => ({ host: '127.0.0.1', port, ...credentials(user), database });
    return { address, close };
  } catch (error) {
    const owner = lock?.owner();
    lock?.release();
    if (error instanceof Error && 'syscall' in error)
      throw new EmbeddedError(
        `The data folder ${folder} cannot be used (${oneLine(error.message)}): correct that, ${advice.otherFolder}, or ${advice.otherServer}.`,
      );
    if (error !== late.reason) throw error;
    throw new EmbeddedError(
      `The embedded database in ${folder} was not available for five minutes, because process ${owner} uses it or because it still starts: let that end, then start again.`,
    );
  }
}

type Running = Pick<EmbeddedDatabase<string>, 'close'> & { port: number };

/** Waits until the server of the service runs, or until this process has the lock: then it resolves with undefined. */
async function awaitTurn(
  { folder, pgdata }: Cluster,
  lock: Lock,
  { service = false, besideService = false, onEvent }: EmbeddedOptions<string>,
  signal: AbortSignal,
): Promise<Running | undefined> {
  for (let looks = 0; !lock.take(service); looks++) {
    const isOfService = lock.isOfService();
    const server = isOfService ? await readPostmaster(pgdata) : undefined;
    if (server?.isReady && !service) return { port: server.port, close: async () => {} };
    // At the first look, a process that has just taken the lock may not have written its number yet.
    if (looks === 1 && service && isOfService)
      throw new EmbeddedError(
        `The data folder ${folder} is in use by another service (process ${lock.owner()}): stop that one, or ${advice.otherFolder}.`,
      );
    if (looks === 20) onEvent?.('awaited', { folder, processId: lock.owner() });
    await pause(50, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
  if (besideService) throw new EmbeddedError(`No service uses the data folder ${folder}: start it first.`);
  return undefined;
}

async function runServer(
  cluster: Cluster,
  lock: Lock,
  { database, roles, settings = {}, onEvent, onLost }: EmbeddedOptions<string>,
  signal: AbortSignal,
): Promise<Running> {
  const { folder } = cluster;
  onEvent?.('starting', { folder });
  const program = await prepareCluster(cluster, { database, roles }, settings.fsync !== 'off');
  const server = await startServer(cluster, program, settings, signal);
  const { processId, port } = server;
  onEvent?.('started', { processId, port });

  let isOver = false;
  const close = async () => {
    const endedBefore = isOver;
    isOver = true;
    await server.stop();
    lock.release();
    if (!endedBefore) onEvent?.('stopped', { processId, port });
  };
  void server.ended.then((reason) => {
    if (isOver) return;
    isOver = true;
    const text = `The embedded database in ${folder} ended by itself (${reason}): see ${logOf(cluster)}, and start again.`;
    onLost?.(new EmbeddedError(text));
  });
  return { port, close };
}
