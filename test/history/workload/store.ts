import { type DatabaseAddress, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { timestampText } from '../../../packages/adapters-persistence/src/schema/stored-values.ts';
import { eventually } from '../../support/promises.ts';
import type { HistoryRow, StoredMirror } from '../record.ts';

export interface Store {
  /** A superuser's. */
  readonly admin: Pick<Pool, 'query'>;
  address(role: Role): DatabaseAddress;
}

/** Ends the sessions that a condition on `pg_stat_activity` names, and waits until they are gone. */
export async function endSessions({ admin }: Store, condition: string, values: unknown[]): Promise<void> {
  const text = `select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
    where datname = current_database() and ${condition}`;
  await eventually(`the end of sessions: ${condition}`, async () => {
    expect((await admin.query(text, values)).rows).to.deep.equal([{ count: 0 }]);
  });
}

export async function tablesOf(store: Store): Promise<{ history: HistoryRow[]; mirrors: StoredMirror[] }> {
  await endSessions(store, 'usename = any($1)', [Object.values(roles)]);
  const history = await store.admin.query(`
    select id::float8, campaign_id::float8 as campaign, mirror_id::float8 as mirror,
      access_key_id::float8 as key, owner_id::float8 as owner, address_before as before,
      address_after as after, ${timestampText('changed_at')} as at, request_id as "requestId"
    from campaign_mirror.mirror_history order by id`);
  const mirrors = await store.admin.query(`
    select id::float8, campaign_id::float8 as campaign, target_url as address,
      ${timestampText('updated_at')} as "updatedAt"
    from campaign_mirror.mirrors order by id`);
  return { history: history.rows, mirrors: mirrors.rows };
}

const jittery = ['campaigns', 'mirrors'];

/**
 * From now on, one read in 60 of a campaign or a mirror takes up to 40 ms longer, between the read and its lock. Other
 * sessions can commit in between.
 */
export async function jitter({ admin }: Store): Promise<void> {
  await admin.query(`
    create function campaign_mirror.take_a_while() returns boolean language plpgsql as $$
      begin
        if random() * 60 < 1 then perform pg_sleep(random() * 0.04); end if;
        return true;
      end
    $$`);
  for (const table of jittery)
    await admin.query(`create policy jitter on campaign_mirror.${table}
      to ${Object.values(roles)} using (campaign_mirror.take_a_while())`);
  await setJitter(admin, 'enable');
}

async function setJitter(admin: Store['admin'], act: 'enable' | 'disable'): Promise<void> {
  for (const table of jittery)
    await admin.query(`alter table campaign_mirror.${table} ${act} row level security`);
}

/** Runs `start` without the jitter: a service does not start while tables could hide rows from it. */
export async function withoutJitter({ admin }: Store, start: () => Promise<void>): Promise<void> {
  await setJitter(admin, 'disable');
  await start();
  await setJitter(admin, 'enable');
}
