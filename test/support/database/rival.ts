import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { eventually } from '../promises.ts';
import type { TestDatabase } from './database-server.ts';

export type Rival = Awaited<ReturnType<typeof rival>>;

/** Somebody else, in an open transaction that has run this, and holds its locks until it is said to end. */
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
  return {
    run,
    commit: () => end('commit'),
    rollback: () => end('rollback'),
  };
}

/** Locks the mirror of a campaign for update, as long as the rival likes. */
export const lockMirror = 'select from campaign_mirror.mirrors where campaign_id = $1 for update';

/** Sessions of ours that wait for a lock at this moment. */
const waiting = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and usename = any($1) and wait_event_type = 'Lock' and state = 'active'`;

/** Resolves when so many sessions wait for a lock; rejects when the call ends without having waited. */
export async function untilWaiting(
  database: TestDatabase,
  call: Promise<unknown>,
  sessions = 1,
  users: readonly string[] = [roles.service, roles.operator],
): Promise<void> {
  let ended = false;
  const ending = () => {
    ended = true;
  };
  call.then(ending, ending);
  await eventually(`${sessions} sessions that wait for a lock`, async () => {
    const { rows } = await database.admin.query(waiting, [users]);
    if (rows[0].count < sessions && ended) throw new Error('the call ended without waiting for the lock');
    expect(rows[0].count).to.be.at.least(sessions);
  });
}

export async function endWaiting(database: TestDatabase): Promise<void> {
  const users = [roles.service, roles.operator];
  await database.admin.query(waiting.replace('*', 'pg_terminate_backend(pid, 10000)'), [users]);
}

/** Ends the statements that wait for a lock, as the server's own timer does. */
export async function cancelWaiting(database: TestDatabase): Promise<void> {
  const users = [roles.service, roles.operator];
  await database.admin.query(waiting.replace('*', 'pg_cancel_backend(pid)'), [users]);
}

/** What comes of an act that begins while a rival holds what it has run, and that waits until the rival ends. */
export async function meanwhile<T>(
  database: TestDatabase,
  [text, ...values]: readonly [text: string, ...values: unknown[]],
  act: () => Promise<T>,
  end: 'commit' | 'rollback' = 'commit',
): Promise<T> {
  const other = await rival(database, text, ...values);
  const acting = act();
  await untilWaiting(database, acting).finally(other[end]);
  return acting;
}
