import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Cluster } from '../cluster/cluster.ts';
import { EmbeddedError } from '../programs/errors.ts';
import { isAlive } from '../programs/process.ts';

/**
 * The users of a database are recorded in the database itself, as advisory locks of a connection: the locks end with
 * their process, however it ends, while a file would remain. Keys: our own number, then what is held.
 */
const space = 0x434d;
const membership = 1;
const service = 2;

/** How long the locks of a killed process can outlive it, in milliseconds: its connection ends a moment later. */
const afterlifeMs = 2000;

export const memberName = `campaign mirror process ${process.pid}`;

/** Another process has become the service of this data folder. */
export class ServiceElsewhere extends EmbeddedError {}

/** Waits while the last process decides whether to stop the server: then the lock is granted, or the connection ends. */
export async function registerMember(client: Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, $2)', [space, membership]);
}

/** Throws ServiceElsewhere when a living process holds it. */
export async function registerService(client: Client, cluster: Cluster): Promise<void> {
  const taken = () => tryLock(client, service);
  if (await within(afterlifeMs, taken)) return;
  const [holder] = await holders(client, service);
  throw new ServiceElsewhere(
    `The data folder ${cluster.folder} is in use by another service (process ${holder ?? 'unknown'}): stop that one, or choose another folder with DATA_DIR.`,
  );
}

/** Removes the registrations; true if no other process is registered, and then none can be until the connection ends. */
export async function unregister(client: Client): Promise<boolean> {
  await client.query('select pg_advisory_unlock($1, $2)', [space, service]);
  await client.query('select pg_advisory_unlock_shared($1, $2)', [space, membership]);
  if (await tryLock(client, membership)) return true;
  // A process that held it may have ended by now, and its connection too.
  if ((await holders(client, membership)).some(isAlive)) return false;
  return within(afterlifeMs, () => tryLock(client, membership));
}

async function tryLock(client: Client, what: number): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as got', [space, what]);
  return rows[0]?.got === true;
}

async function within(milliseconds: number, attempt: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + milliseconds; ; await pause(50)) {
    if (await attempt()) return true;
    if (Date.now() > deadline) return false;
  }
}

/** The numbers of the other processes that hold the lock. */
async function holders(client: Client, what: number): Promise<number[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name
       from pg_locks l join pg_stat_activity a using (pid) join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid = $2 and l.objsubid = 2
        and d.datname = current_database() and l.pid <> pg_backend_pid()`,
    [space, what],
  );
  return rows.map(({ name }) => Number(/\d+$/.exec(name)?.[0] ?? 0)).filter((one) => one > 0);
}
