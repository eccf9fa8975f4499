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
  /** Revoked, expired. */
  readonly keyWas: string[];
  oldChanges: number;
  readonly firstMirror: number;
  readonly changes: { subject: string; request: string; before: string; after: string; notBefore: number }[];
  /** Of the audit. */
  readonly entries: string[];
}

interface Row {
  readonly id: number;
  readonly previous: number | null;
  readonly mirror: number;
  readonly subject: string;
  readonly request: string;
  readonly before: string;
  readonly after: string;
  readonly at: number;
  readonly isOld: boolean;
}

interface Stored {
  readonly campaign: State['campaign'];
  readonly mirror: {
    id: number;
    address: string;
    clicks: number;
    lastChange: number | null;
    at: number;
    externallyAt: number | null;
    facts: State['campaign'];
  } | null;
  readonly keyIsValid: boolean;
  readonly history: Row[];
  readonly entries: string[];
}

const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;
const facts = `json_build_object('owner', owner_id, 'isDefault', is_default)`;

/** Everything about one campaign, by the server's admin. Written apart from the statements that it judges. */
const storedText = `select json_build_object(
  'campaign', (select ${facts} from campaign_mirror.campaigns where id = $1),
  'mirror', (select json_build_object('id', id, 'address', target_url, 'clicks', clicks, 'lastChange', last_change_id,
      'at', ${micros('updated_at')}, 'externallyAt', ${micros('updated_externally_at')}, 'facts', ${facts})
    from campaign_mirror.mirrors where campaign_id = $1),
  'keyIsValid', (select revoked_at is null and expires_at is null from campaign_mirror.access_keys where id = $2),
  'history', (select coalesce(json_agg(json_build_object('id', id, 'previous', previous_id, 'mirror', mirror_id,
      'subject', concat_ws(':', actor, access_key_id), 'request', request_id, 'before', address_before,
      'after', address_after, 'at', ${micros('changed_at')}, 'isOld', changed_at < now() - interval '2 days')
      order by id), '[]') from campaign_mirror.mirror_history where campaign_id = $1),
  'entries', (select coalesce(json_agg(concat_ws(' ', act,
      case when act = 'campaign-deleted' then coalesce(owner_id::text, '-') end, details->>'owner_id_before',
      case when act = 'campaign-transferred' then owner_id end, details->>'target_url', details->>'clicks',
      details->>'address_before', details->>'address_after')), '[]')
    from campaign_mirror.operator_audit where campaign_id = $1 or access_key_id = $2)) as stored`;

const same = (one: unknown, other: unknown, what: string) => {
  const [is, should] = [JSON.stringify(one), JSON.stringify(other)];
  demand(is === should, `${what} is ${is}, not ${should}`);
};

/** Throws unless what the transactions saw and left behind is what they would one after the other. */
export async function judge(admin: Pool, stage: Stage, first: State, transactions: readonly Transaction[]) {
  const values = [stage.campaign, stage.key];
  const { rows } = await admin.query({ name: 'stored', text: storedText, values });
  const stored = rows[0].stored as Stored;
  const judged = transactions.filter(({ committed }) => committed);
  for (const { acts } of transactions)
    for (const { act, seen } of acts) {
      demand(!(act.neverWaits && seen.waitedUntil), `${act.name} waited for a lock`);
      if (seen.error && seen.error !== inFailedTransaction)
        demand(act.faults?.includes(seen.error) ?? false, `${act.name} failed: ${seen.error}`);
    }
  const faults: string[] = [];
  if (!isSerial(first, judged, transactions, (state) => compare(state, stored), faults))
    throw new Error(`no serial order gives what there is: ${[...new Set(faults)].join('; ')}`);
  judgeRevocations(transactions);
  followsItself(stored);
  judgeFeed(stored, transactions);
}

const inFailedTransaction = '25P02';

type Moments = Pick<Transaction, 'began' | 'ended'>;

/** Whether an order of the transactions, in which none comes before one that had ended when it began, leads to `end`. */
function isSerial(
  state: State,
  left: readonly Transaction[],
  all: readonly Transaction[],
  end: (state: State) => void,
  faults: string[],
): boolean {
  const may = (what: () => boolean) => {
    try {
      return what();
    } catch (fault) {
      faults.push((fault as Error).message);
      return false;
    }
  };
  if (left.length === 0)
    return may(() => {
      end(state);
      return true;
    });
  const next = left.filter((one) => !left.some((other) => other.ended < one.began));
  return next.some((one) =>
    may(() => {
      const then = structuredClone(state);
      const beside = ({ began, ended }: Moments) => {
        const others = all.filter(({ session }) => session !== one.session);
        const open = others.filter((other) => other.began < ended && other.ended > began);
        return new Set(open.flatMap(({ acts }) => acts.map(({ act }) => act.name)));
      };
      for (const { act, seen, ...moments } of one.acts) act.model(then, seen, beside(moments), beside(one));
      return isSerial(
        then,
        left.filter((other) => other !== one),
        all,
        end,
        faults,
      );
    }),
  );
}

function compare(state: State, { campaign, mirror, keyIsValid, history, entries }: Stored): void {
  same(campaign, state.campaign, 'the campaign');
  const { facts, address, clicks } = mirror ?? {};
  same(facts ?? null, state.mirror && state.campaign, 'what the mirror has of its campaign');
  same([address, clicks], [state.mirror?.address, state.mirror?.clicks], 'the mirror');
  same(keyIsValid, state.keyWas.length === 0, 'whether the key is valid');
  same(history.filter(({ isOld }) => isOld).length, state.oldChanges, 'the number of old changes');
  const made = history.filter(({ isOld }) => !isOld);
  const changes = made.map(({ subject, request, before, after }) => {
    const known = /^(request|operator)-/.test(request) ? request : 'comeback';
    return { subject, request: known, before, after };
  });
  const expected = state.changes.map(({ notBefore, ...change }) => change);
  same(changes, expected, 'the history');
  for (const [index, { notBefore }] of state.changes.entries())
    demand((made[index]?.at ?? 0) > notBefore, 'a change has a time from before it had the lock');
  same(entries.sort(), state.entries.sort(), 'the audit');
}

/** An update that still waited when the revocation had been committed proves its key after it. */
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

/** The chain of changes, and the mirror at its end. */
function followsItself({ history, mirror }: Stored): void {
  for (const [index, row] of history.entries()) {
    const previous = history[index - 1];
    if (!previous) continue;
    same(
      [row.previous, row.before],
      [previous.id, previous.after],
      `what ${row.id} has of the change before`,
    );
    demand(row.at > previous.at, `${row.id} has a time before that of ${previous.id}`);
  }
  const last = history.at(-1);
  if (!mirror || !last || last.isOld) return;
  const { lastChange, address, at, externallyAt } = mirror;
  same([lastChange, address, at], [last.id, last.after, last.at], 'the end of the history');
  same(externallyAt, last.mirror === mirror.id && last.after !== anew ? last.at : null, 'when it was set');
}

/** Each change is in exactly one look of each reader, in order, at the latest in the first after its commit. */
function judgeFeed({ history }: Stored, transactions: readonly Transaction[]): void {
  const changes = history.filter(({ isOld }) => !isOld);
  const committedAt = new Map<string, number>();
  for (const { acts, ended, committed } of transactions)
    for (const { act, seen } of acts) {
      const { request } = act as { request?: string };
      if (committed && request && (seen.result as { kind: string }).kind === 'mirror-set')
        committedAt.set(request, ended);
    }
  const sessions = new Set(
    transactions.filter(({ acts }) => acts[0]?.act.name === 'look').map(({ session }) => session),
  );
  for (const reader of sessions) {
    const heard: { id: number; address: string }[] = [];
    for (const { session, acts, began } of transactions) {
      if (session !== reader) continue;
      for (const { seen } of acts) heard.push(...(seen.changes as typeof heard));
      for (const { id, request } of changes)
        if ((committedAt.get(request) ?? Number.POSITIVE_INFINITY) < began)
          demand(
            heard.some((one) => one.id === id),
            `a look left out the change ${id}, which was committed before it`,
          );
    }
    same(
      heard,
      changes.map(({ id, after }) => ({ id, address: after })),
      'what a reader heard',
    );
  }
}
