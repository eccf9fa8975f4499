import { roles } from '@campaign-mirror/adapters-persistence';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import type { TestDatabase } from './database-server.ts';

export type Rival = Awaited<ReturnType<typeof rival>>;

/** Somebody else, in an open transaction that holds its locks until it is said to end. */
export async function rival(database: TestDatabase) {
  const client = await database.admin.connect();
  const ignore = () => {};
  client.on('error', ignore);
  const end = async (how: 'commit' | 'rollback') => {
    await client.query(how);
    client.off('error', ignore);
    client.release();
  };
  await client.query('begin');
  return {
    run: async (text: string, ...values: unknown[]) => void (await client.query(text, values)),
    commit: () => end('commit'),
    rollback: () => end('rollback'),
  };
}

/** A rival who holds the campaign's mirror. */
export async function mirrorHeld(database: TestDatabase, campaign: CampaignId | undefined): Promise<Rival> {
  const holder = await rival(database);
  await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaign);
  return holder;
}

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

/** Ends those sessions, as a server does that goes away. */
export async function endWaiting(database: TestDatabase): Promise<void> {
  await database.admin.query(waiting.replace('count(*)', 'count(pg_terminate_backend(pid))'), [
    [roles.service, roles.operator],
  ]);
}

/** Holds the campaign's mirror until one of the calls waits for it, so that they race. */
export async function lockedMeanwhile<T>(
  database: TestDatabase,
  campaign: CampaignId,
  calls: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const holder = await mirrorHeld(database, campaign);
  const all = Promise.all(calls.map((call) => call()));
  try {
    await untilWaiting(database, all);
  } finally {
    await holder.rollback();
  }
  return all;
}
