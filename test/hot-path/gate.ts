import type { TestDatabase } from '../support/database/database-server.ts';
import { type Rival, rival } from '../support/database/rival.ts';

/** Who wants to pass takes this lock for a moment; who keeps the gate shut holds it. */
const lock = 1_301;
const shut = `select pg_advisory_xact_lock(${lock})`;

/** Statements that write history stop at a gate before they commit, until the keeper commits. */
export async function gateBeforeCommit(database: TestDatabase): Promise<Rival> {
  await beforeHistory(database, `perform pg_advisory_xact_lock_shared(${lock})`);
  return rival(database, shut);
}

/** The service stops at such a gate when it has seen the campaign's mirror, and has not yet locked it. */
export async function gateBeforeLock(database: TestDatabase, campaign: number): Promise<Rival> {
  await database.admin.query(`
    create or replace function campaign_mirror.pass() returns boolean language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${lock}); return true; end
    $$;
    drop policy if exists gate on campaign_mirror.mirrors;
    create policy gate on campaign_mirror.mirrors using (campaign_id <> ${campaign} or campaign_mirror.pass());
    alter table campaign_mirror.mirrors enable row level security;
    alter table campaign_mirror.mirrors force row level security`);
  return rival(database, shut);
}

/** From now on this statement of PL/pgSQL is run for each row of the history before it is written; it may count in `tries`. */
export async function beforeHistory({ admin }: TestDatabase, statement: string): Promise<void> {
  await admin.query(`
    create sequence if not exists campaign_mirror.tries;
    select setval('campaign_mirror.tries', 1, false);
    grant usage on campaign_mirror.tries to public;
    create or replace function campaign_mirror.before_history() returns trigger language plpgsql as $$
      begin ${statement}; return new; end
    $$;
    create or replace trigger before_history before insert on campaign_mirror.mirror_history
      for each row execute function campaign_mirror.before_history()`);
}
