import type { DatabaseAddress, Role } from '@campaign-mirror/adapters-persistence';
import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { timestampText } from '../../../packages/adapters-persistence/src/schema/schema.ts';
import { eventually } from '../../support/eventually.ts';
import type { Fact, HistoryRow, OperatorsAct, RecordedFact, StoredMirror } from '../record.ts';

/** The database of a run. */
export interface Store {
  /** Of a superuser. */
  readonly admin: Pick<Pool, 'query'>;
  address(role: Role): DatabaseAddress;
}

/** Ends the sessions that a condition on `pg_stat_activity` names, and resolves when they are gone: none writes any more. */
export async function endSessions({ admin }: Store, condition: string, values: unknown[]): Promise<void> {
  const sessions = `from pg_stat_activity where datname = current_database() and ${condition}`;
  await eventually(
    `the end of sessions: ${condition}`,
    async () => {
      const { rows } = await admin.query(
        `select count(pg_terminate_backend(pid))::int as count ${sessions}`,
        values,
      );
      expect(rows[0].count).to.equal(0);
    },
    { within: 60_000 },
  );
}

/** A row of the audit, and how long the key lives that it is about, in milliseconds. */
interface Audited {
  readonly act: string;
  readonly requestId: string;
  readonly campaign: number;
  readonly owner: number;
  readonly key: number;
  readonly details: { default: boolean; target_url: string; replaced_by: number; grace: number };
  readonly lasts: number | null;
}

function factsIn({ act, campaign, owner, key, details, lasts }: Audited): Fact[] {
  const issued = (key: number): Fact[] => [
    { kind: 'key-issued', key, owner },
    ...(lasts === null ? [] : [{ kind: 'key-ends' as const, key, after: lasts }]),
  ];
  switch (act) {
    case 'campaign-created':
      return [{ kind: act, campaign, owner, isDefault: details.default }];
    case 'campaign-deleted':
      return [{ kind: act, campaign }];
    case 'campaign-transferred':
      return [{ kind: 'transferred', campaign, owner }];
    case 'default-set':
    case 'default-unset':
      return [{ kind: 'default-changed', campaign, isDefault: act === 'default-set' }];
    case 'mirror-created':
      return [{ kind: act, campaign, address: details.target_url }];
    case 'key-issued':
      return issued(key);
    case 'key-revoked':
      return [{ kind: 'key-ends', key, after: 0 }];
    case 'key-rotated':
      return [{ kind: 'key-ends', key, after: details.grace * 1000 }, ...issued(details.replaced_by)];
    default:
      return [];
  }
}

interface Tables {
  readonly facts: RecordedFact[];
  readonly history: HistoryRow[];
  readonly mirrors: StoredMirror[];
}

/** What is stored when nobody writes any more, and what the acts have changed by the audit. */
export async function tablesOf(store: Store, acts: readonly OperatorsAct[]): Promise<Tables> {
  await endSessions(store, 'usename = any($1)', [Object.values(roles)]);
  const audit = await store.admin.query<Audited>(`
    select act, request_id as "requestId", campaign_id::float8 as campaign, a.owner_id::float8 as owner,
      access_key_id::float8 as key, details, extract(epoch from expires_at - created_at)::float8 * 1000 as lasts
    from campaign_mirror.operator_audit a
    left join campaign_mirror.access_keys k on k.id = coalesce((details->>'replaced_by')::bigint, access_key_id)
    order by a.id`);
  const audited = Map.groupBy(audit.rows, ({ requestId }) => requestId);
  const facts = acts.flatMap(({ requestId, begin, end }) =>
    (audited.get(requestId) ?? []).flatMap(factsIn).map((fact) => ({ ...fact, begin, end })),
  );
  const history = await store.admin.query(`
    select id::float8, campaign_id::float8 as campaign, mirror_id::float8 as mirror, access_key_id::float8 as key,
      owner_id::float8 as owner, address_before as before, address_after as after,
      ${timestampText('changed_at')} as at, request_id as "requestId"
    from campaign_mirror.mirror_history order by id`);
  const mirrors = await store.admin.query(`
    select id::float8, campaign_id::float8 as campaign, target_url as address, clicks::float8,
      ${timestampText('updated_at')} as "updatedAt"
    from campaign_mirror.mirrors order by id`);
  return { facts, history: history.rows, mirrors: mirrors.rows };
}

/** Of how many looks one takes longer, and by how many milliseconds at most. */
const [one, longest] = [60, 40];

/**
 * From now on who looks at a campaign or a mirror sometimes takes a while between seeing it and locking it, so that
 * what others do falls in between.
 */
export async function jitter({ admin }: Store): Promise<void> {
  await admin.query(`
    create function campaign_mirror.take_a_while() returns boolean language plpgsql as $$
      begin
        if random() * ${one} < 1 then perform pg_sleep(random() * ${longest} / 1000); end if;
        return true;
      end
    $$`);
  for (const table of ['campaigns', 'mirrors']) {
    await admin.query(`create policy jitter on campaign_mirror.${table}
      to ${Object.values(roles)} using (campaign_mirror.take_a_while())`);
    await admin.query(`alter table campaign_mirror.${table} enable row level security`);
  }
}
