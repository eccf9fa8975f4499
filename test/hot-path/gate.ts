import type { TestDatabase } from '../support/database/database-server.ts';
import { type Rival, rival } from '../support/database/rival.ts';

/** Who wants to pass takes this lock for a moment; who keeps the gate shut holds it. */
const lock = 1_301;

/** From now on statements that write history stop at a gate before they commit. */
export async function gateBeforeCommit(database: TestDatabase): Promise<void> {
  await database.admin.query(`
    create function campaign_mirror.pass() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${lock}); return null; end
    $$;
    create trigger gate after insert on campaign_mirror.mirror_history
      for each statement execute function campaign_mirror.pass()`);
}

/** From now on the service stops at a gate when it has seen a row of the table, and has not yet locked it. */
export async function gateBeforeLock(
  database: TestDatabase,
  table: 'campaigns' | 'mirrors',
  campaign: number,
): Promise<void> {
  const id = table === 'campaigns' ? 'id' : 'campaign_id';
  await database.admin.query(`
    create function campaign_mirror.pass() returns boolean language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${lock}); return true; end
    $$;
    create policy gate on campaign_mirror.${table} using (${id} <> ${campaign} or campaign_mirror.pass());
    alter table campaign_mirror.${table} enable row level security`);
}

/** Shuts the gates; the commit of the one who did opens them. */
export async function shutGate(database: TestDatabase): Promise<Rival> {
  const keeper = await rival(database);
  await keeper.run('select pg_advisory_xact_lock($1)', lock);
  return keeper;
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
