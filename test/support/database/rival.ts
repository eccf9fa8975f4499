import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { eventually } from '../promises.ts';
import type { TestDatabase } from './database-server.ts';

export type Rival = Awaited<ReturnType<typeof rival>>;

/** Another session. It runs this in a transaction, and keeps the locks until it commits or rolls back. */
export async function rival(database: TestDatabase, text: string, ...values: unknown[]) {
  const client = await database.admin.connect();
  const ignore = () => {};
  client.on('error', ignore);
  const end = async (how: 'commit' | 'rollback') => {
    await client.query(how);
    client.off('error', ignore);
    client.release();
  };
  const run = async (text: string, ...values: unknown[]) => void (await client.query(text, values));
  await run('begin');
  await run(text, ...values);
  return { run, commit: () => end('commit'), rollback: () => end('rollback') };
}

export const lockMirror = 'select from campaign_mirror.mirrors where campaign_id = $1 for update';

const ourUsers: readonly string[] = [roles.service, roles.operator];

/** Runs an aggregate over the sessions of these users that wait for a lock. */
async function ofWaiting({ admin }: TestDatabase, what: string, users = ourUsers): Promise<number> {
  const text = `select count(${what})::int as count from pg_stat_activity where datname = current_database()
    and usename = any($1) and wait_event_type = 'Lock' and state = 'active'`;
  return (await admin.query(text, [users])).rows[0].count;
}

/** Resolves when so many sessions wait for a lock; rejects if the call ends without a wait. */
export async function untilWaiting(
  database: TestDatabase,
  call: Promise<unknown>,
  sessions = 1,
  users = ourUsers,
): Promise<void> {
  let ended = false;
  const ending = () => {
    ended = true;
  };
  call.then(ending, ending);
  await eventually(`${sessions} sessions that wait for a lock`, async () => {
    const count = await ofWaiting(database, '*', users);
    if (count < sessions && ended) throw new Error('the call ended without waiting for the lock');
    expect(count).to.be.at.least(sessions);
  });
}

/** Ends the sessions that wait for a lock. */
export const endWaiting = (database: TestDatabase) => ofWaiting(database, 'pg_terminate_backend(pid, 10000)');

/** Ends the statements that wait for a lock, as the server's own timer does. */
export const cancelWaiting = (database: TestDatabase) => ofWaiting(database, 'pg_cancel_backend(pid)');

/** The outcome of an act that begins while a rival has run this, and waits until the rival commits. */
export async function meanwhile<T>(
  database: TestDatabase,
  [text, ...values]: readonly [text: string, ...values: unknown[]],
  act: () => Promise<T>,
): Promise<T> {
  const other = await rival(database, text, ...values);
  const acting = act();
  await untilWaiting(database, acting).finally(other.commit);
  return acting;
}
