import type { TestDatabase } from '../support/database/database-server.ts';
import { type Rival, rival } from '../support/database/rival.ts';

/** The keeper of a gate holds this lock; a session takes it for a moment to pass. */
const lock = 1_301;
const shut = `select pg_advisory_xact_lock(${lock})`;

/** Statements that write history stop before they commit, until the keeper commits. */
export async function gateBeforeCommit(database: TestDatabase): Promise<Rival> {
  await beforeHistory(database, `perform pg_advisory_xact_lock_shared(${lock})`);
  return rival(database, shut);
}

/** The service stops between its read of the campaign's mirror and its lock, until the keeper commits. */
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

/** Runs this PL/pgSQL before each row of the history. It may count in the sequence `tries`. */
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

/** The next row of the history fails, or the next `times` rows. */
export function failingOnce(database: TestDatabase, code: string, times = 1): Promise<void> {
  return beforeHistory(
    database,
    `if nextval('campaign_mirror.tries') <= ${times} then raise exception 'once' using errcode = '${code}'; end if`,
  );
}
