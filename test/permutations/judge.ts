import type { Pool } from 'pg';
import { demand } from './acts.ts';
import type { Transaction } from './sessions.ts';
import { anew, type Stage } from './stage.ts';

/** What the model knows of a campaign, its key, and its history. */
export interface State {
  campaign: { owner: number; isDefault: boolean } | null;
  mirror: { address: string; clicks: number; readonly isFirst: boolean } | null;
  /** The last address of the mirror that was deleted last. */
  deleted: string;
  isRevoked: boolean;
  readonly firstMirror: number;
  readonly changes: { subject: string; request: string; before: string; after: string }[];
  /** Of the audit. */
  readonly entries: string[];
}

interface Stored {
  readonly campaign: State['campaign'];
  readonly mirror:
    | ({
        readonly facts: State['campaign'];
        readonly address: string;
        readonly lastChange: number | null;
        readonly externallyAt: number | null;
      } & Record<'id' | 'clicks' | 'at', number>)
    | null;
  readonly isRevoked: boolean;
  readonly history: (State['changes'][number] &
    Record<'id' | 'mirror' | 'at', number> & { readonly previous: number | null })[];
  readonly entries: string[];
}

const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;
const facts = `json_build_object('owner', owner_id, 'isDefault', is_default)`;

/** Everything about one campaign. Independent of the statements that it judges. */
const storedText = `select json_build_object(
  'campaign', (select ${facts} from campaign_mirror.campaigns where id = $1),
  'mirror', (select json_build_object('id', id, 'address', target_url, 'clicks', clicks,
      'lastChange', last_change_id, 'at', ${micros('updated_at')},
      'externallyAt', ${micros('updated_externally_at')}, 'facts', ${facts})
    from campaign_mirror.mirrors where campaign_id = $1),
  'isRevoked', (select revoked_at is not null from campaign_mirror.access_keys where id = $2),
  'history', (select coalesce(json_agg(json_build_object('id', id, 'previous', previous_id,
      'mirror', mirror_id, 'subject', concat_ws(':', actor, access_key_id), 'request', request_id,
      'before', address_before, 'after', address_after, 'at', ${micros('changed_at')})
      order by id), '[]') from campaign_mirror.mirror_history where campaign_id = $1),
  'entries', (select coalesce(json_agg(concat_ws(' ', act,
      case when act = 'campaign-deleted' then coalesce(owner_id::text, '-') end, details->>'owner_id_before',
      case when act = 'campaign-transferred' then owner_id end, details->>'target_url', details->>'clicks',
      details->>'address_before', details->>'address_after')), '[]')
    from campaign_mirror.operator_audit where campaign_id = $1 or access_key_id = $2)) as stored`;

const same = (one: unknown, other: unknown, what: string) => {
  const [is, expected] = [JSON.stringify(one), JSON.stringify(other)];
  demand(is === expected, `${what} is ${is}, not ${expected}`);
};

const inFailedTransaction = '25P02';

/** Throws unless the transactions saw and left behind what they would in some serial order. */
export async function judge(admin: Pool, stage: Stage, first: State, transactions: readonly Transaction[]) {
  const values = [stage.campaign, stage.key];
  const { rows } = await admin.query({ name: 'stored', text: storedText, values });
  const stored = rows[0].stored as Stored;
  for (const { act, seen } of transactions.flatMap(({ acts }) => acts)) {
    demand(!(act.neverWaits && seen.waitedAt), `${act.name} waited for a lock`);
    if (seen.error && seen.error !== inFailedTransaction)
      demand(act.fault === seen.error, `${act.name} failed: ${seen.error}`);
  }
  const faults = new Set<string>();
  const committed = transactions.filter(({ committed }) => committed);
  if (!isSerial(first, committed, transactions, stored, faults))
    throw new Error(`no serial order gives what there is: ${[...faults].join('; ')}`);
  judgeRevocations(transactions);
  judgeChain(stored);
  judgeFeed(stored, transactions);
}

/** Whether the transactions lead to what is stored in some order in which no one precedes one that ended before it. */
function isSerial(
  state: State,
  left: readonly Transaction[],
  all: readonly Transaction[],
  stored: Stored,
  faults: Set<string>,
): boolean {
  const holds = (check: () => boolean) => {
    try {
      return check();
    } catch (fault) {
      faults.add((fault as Error).message);
      return false;
    }
  };
  if (left.length === 0) return holds(() => compare(state, stored));
  const next = left.filter((one) => !left.some((other) => other.ended < one.began));
  return next.some((one) =>
    holds(() => {
      const then = structuredClone(state);
      const beside = ({ began, ended }: Pick<Transaction, 'began' | 'ended'>) => {
        const others = all.filter(({ session }) => session !== one.session);
        const open = others.filter((other) => other.began < ended && other.ended > began);
        return new Set(open.flatMap(({ acts }) => acts.map(({ act }) => act.name)));
      };
      for (const { act, seen, ...moments } of one.acts) act.model(then, seen, beside(moments), beside(one));
      const others = left.filter((other) => other !== one);
      return isSerial(then, others, all, stored, faults);
    }),
  );
}

function compare(state: State, { campaign, mirror, isRevoked, history, entries }: Stored): true {
  same(campaign, state.campaign, 'the campaign');
  const { facts, address, clicks } = mirror ?? {};
  same(facts ?? null, state.mirror && state.campaign, 'what the mirror has of its campaign');
  same([address, clicks], [state.mirror?.address, state.mirror?.clicks], 'the mirror');
  same(isRevoked, state.isRevoked, 'whether the key is revoked');
  const changes = history.map(({ subject, request, before, after }) => {
    const known = /^(request|operator)-/.test(request) ? request : 'comeback';
    return { subject, request: known, before, after };
  });
  same(changes, state.changes, 'the history');
  same(entries.sort(), state.entries.sort(), 'the audit');
  return true;
}

/** An update that still waited when the revocation was committed proves its key after it. */
function judgeRevocations(transactions: readonly Transaction[]): void {
  const revocations = transactions.filter(
    ({ committed, acts }) => committed && acts.some(({ act }) => act.name === 'revoke'),
  );
  for (const { act, seen } of transactions.flatMap(({ acts }) => acts)) {
    const { result, waitedAt = 0 } = seen as { result?: { kind: string }; waitedAt?: number };
    if (act.name === 'set' && revocations.some(({ ended }) => ended <= waitedAt))
      same(result?.kind, 'caller-invalid', 'an update whose key was revoked while it waited');
  }
}

/** Judges the chain of changes, and the mirror at its end. */
function judgeChain({ history, mirror }: Stored): void {
  for (const [index, row] of history.entries()) {
    const previous = history[index - 1];
    if (!previous) continue;
    const expected = [previous.id, previous.after];
    same([row.previous, row.before], expected, `what ${row.id} has of the change before`);
    demand(row.at > previous.at, `${row.id} has a time before that of ${previous.id}`);
  }
  const last = history.at(-1);
  if (!mirror || !last) return;
  const { lastChange, address, at, externallyAt } = mirror;
  same([lastChange, address, at], [last.id, last.after, last.at], 'the end of the history');
  same(externallyAt, last.mirror === mirror.id && last.after !== anew ? last.at : null, 'when it was set');
}

/** Each reader gets each change once, in order, at the latest in its first poll after the commit. */
function judgeFeed({ history }: Stored, transactions: readonly Transaction[]): void {
  const committedAt = new Map<string, number>();
  for (const { acts, ended, committed } of transactions)
    for (const { act, seen } of acts) {
      const isSet = (seen.result as { kind: string } | undefined)?.kind === 'mirror-set';
      if (committed && act.request && isSet) committedAt.set(act.request, ended);
    }
  const polls = transactions.filter(({ acts }) => acts[0]?.act.name === 'poll');
  for (const own of Map.groupBy(polls, ({ session }) => session).values()) {
    const heard: { id: number; address: string }[] = [];
    for (const { acts, began } of own) {
      for (const { seen } of acts) heard.push(...(seen.changes as typeof heard));
      for (const { id, request } of history)
        if ((committedAt.get(request) ?? Number.POSITIVE_INFINITY) < began) {
          const isHeard = heard.some((one) => one.id === id);
          demand(isHeard, `a poll left out the change ${id}, which was committed before it`);
        }
    }
    const changes = history.map(({ id, after }) => ({ id, address: after }));
    same(heard, changes, 'what a reader heard');
  }
}
