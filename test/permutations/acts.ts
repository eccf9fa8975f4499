import type { Role } from '@campaign-mirror/adapters-persistence';
import {
  type AccessKeyId,
  type CampaignId,
  keySubject,
  type MirrorAddress,
  type OwnerId,
} from '@campaign-mirror/domain';
import type pg from 'pg';
import { type TextRow, textTypes } from '../../packages/adapters-persistence/src/connection/rows.ts';
import {
  type CallersMirror,
  callersValues,
  mirrorsValues,
  resultsOf,
  setMirrorsAsOperatorText,
  setMirrorsText,
} from '../../packages/adapters-persistence/src/statements/set-mirrors.ts';
import type { State } from './judge.ts';

/*
 * What sessions do to one campaign: the statement, and what it must have seen and done if transactions ran one after
 * the other.
 */

/** What a statement gave; `waitedUntil`: in microseconds, 0 if it did not wait. */
export type Seen = Record<string, unknown> & { readonly error?: string; readonly waitedUntil?: number };

export interface Act {
  readonly name: string;
  /** Without `begin` and `commit`. */
  readonly alone?: boolean;
  readonly run: (client: pg.ClientBase) => Promise<Seen>;
  /**
   * Changes the state as the act alone would, and throws if it cannot have seen what it has. `beside`: names of acts of
   * transactions that were open at the same time; `meanwhile`: of those open during its own transaction.
   */
  readonly model: (
    state: State,
    seen: Seen,
    beside: ReadonlySet<string>,
    meanwhile: ReadonlySet<string>,
  ) => void;
  /** Of the changes that it makes. */
  readonly request?: string;
  /** Faults that an act may end with beside others. */
  readonly faults?: readonly string[];
}

export interface Actor {
  readonly role: Role;
  readonly steps: readonly (Act | 'begin' | 'commit' | 'rollback')[];
  readonly prepare?: (client: pg.ClientBase) => Promise<unknown>;
  /** Taken when all sessions have ended. */
  readonly last?: Act;
}

/** The campaign that an order of steps is about, and who acts on it. */
export interface Stage {
  readonly campaign: CampaignId;
  readonly key: AccessKeyId;
  readonly owner: OwnerId;
  readonly otherOwner: OwnerId;
}

/** Changes up to this number are old. */
export const lastOldChange = 999_999;

export const [before, anew] = ['https://example.com/before', 'https://example.com/anew'];
export const addressOf = (nth: number) => `https://example.com/by-${nth}` as MirrorAddress;

/** Steps that keep a mirror locked until their transaction ends. */
const locking = ['set', 'transfer', 'flag', 'delete', 'create', 'click'];
const demand = (holds: boolean, what: string) => {
  if (!holds) throw new Error(what);
};
const overlaps = (beside: ReadonlySet<string>, ...names: string[]) => names.some((name) => beside.has(name));

async function textRows(
  client: pg.ClientBase,
  name: string,
  text: string,
  values: unknown[],
): Promise<TextRow[]> {
  const config = { name, text, values, types: textTypes, rowMode: 'array' as const };
  return (await client.query(config)).rows as unknown as TextRow[];
}

/** What the row of an update says, in a serial order: the mirror as it was, or why it was not set. */
function modelOfSet(
  { owner, isDefault, expected }: Pick<CallersMirror, 'owner' | 'isDefault' | 'expected'>,
  change: { address: string; subject: string; request: string },
): Act['model'] {
  return (state, { result, waitedUntil = 0 }, beside) => {
    const { kind, mirror, campaign } = result as ReturnType<typeof resultsOf>[number] & {
      mirror: { id: number; clicks: number; updatedAt: string };
      campaign: { ownerId: number; isDefault: boolean; hasMirror: boolean } | undefined;
    };
    const isValid = change.subject === 'operator' || state.keyIsValid;
    const factsHold =
      state.mirror !== null &&
      (owner === null || state.campaign?.owner === owner) &&
      (isDefault === null || state.campaign?.isDefault === isDefault);
    const addressHolds = expected === undefined || state.mirror?.address === expected;
    if (kind === 'mirror-set') {
      demand(isValid && factsHold && addressHolds, 'it was set against the facts');
      const { address, clicks, isFirst } = state.mirror as NonNullable<State['mirror']>;
      demand(mirror.clicks === clicks, `it answered ${mirror.clicks} clicks of ${clicks}`);
      demand((mirror.id === state.firstMirror) === isFirst, 'it answered the number of another mirror');
      const { subject, request } = change;
      state.changes.push({
        subject,
        request,
        before: address,
        after: change.address,
        notBefore: waitedUntil,
      });
      state.mirror = { address: change.address, clicks, isFirst };
      if (subject === 'operator') state.entries.push(`mirror-set ${address} ${change.address}`);
    } else if (kind === 'caller-invalid') demand(!isValid, 'it refused a valid key');
    else if (kind === 'campaign-differs') {
      demand(isValid && !factsHold, 'it refused a campaign that was as expected');
      const said = campaign && `${campaign.ownerId} ${campaign.isDefault} ${campaign.hasMirror}`;
      const is =
        state.campaign && `${state.campaign.owner} ${state.campaign.isDefault} ${state.mirror !== null}`;
      demand(said === (is ?? undefined), `it said ${said}, which is ${is}`);
    } else if (kind === 'address-differs')
      demand(isValid && factsHold && !addressHolds, 'the address was as expected');
    else {
      demand(isValid && factsHold && addressHolds, 'it was passed over against the facts');
      demand(overlaps(beside, ...locking), 'it was passed over, and nobody had locked the mirror');
    }
  };
}

/** A caller's update: of one mirror, which may wait, or of one in a batch. */
export function update(stage: Stage, nth: number, how: 'waits' | 'passes' | 'batch'): Act {
  const request = `request-${nth}`;
  const by = { ownerId: stage.owner, subject: keySubject(stage.key) };
  const facts = { campaign: stage.campaign, owner: stage.owner, isDefault: false };
  const mirror = { ...facts, address: addressOf(nth), by, requestId: request };
  // There is no such campaign.
  const mirrors = how === 'batch' ? [{ ...mirror, campaign: 1 as CampaignId }, mirror] : [mirror];
  return {
    name: 'set',
    request,
    run: async (client) => {
      const text = setMirrorsText({ waits: how === 'waits' });
      const rows = await textRows(client, how === 'waits' ? 'waits' : 'passes', text, callersValues(mirrors));
      return { result: resultsOf(mirrors, rows).at(-1) };
    },
    model: modelOfSet(facts, { address: mirror.address, subject: `key:${stage.key}`, request }),
  };
}

/** The operator's, which waits: whatever the owner and the flag; or only if it has the address that it had. */
export function operatorSets(stage: Stage, nth: number, expected?: string): Act {
  const request = `operator-${nth}`;
  const facts = { owner: null, isDefault: null, ...(expected === undefined ? {} : { expected }) };
  const mirror = { campaign: stage.campaign, address: addressOf(nth), ...facts };
  return {
    name: 'set',
    request,
    run: async (client) => {
      const values = [...mirrorsValues([mirror]), 'mirror-set', 'tests', request, null, '{}', null];
      const rows = await textRows(client, 'operator', setMirrorsAsOperatorText({ waits: true }), values);
      return { result: resultsOf([mirror], rows)[0] };
    },
    model: modelOfSet(facts, { address: mirror.address, subject: 'operator', request }),
  };
}

/**
 * A statement of the operator for one row. It finds none after a deletion that it waited for; and each statement of a
 * transaction looks anew (READ COMMITTED).
 */
function ofCampaign(name: string, text: string, values: unknown[], model: (state: State) => void): Act {
  return {
    name,
    run: async (client) => ({ rows: (await client.query({ name, text, values })).rowCount }),
    model: (state, { rows }, _, meanwhile) => {
      if (rows === 0)
        demand(!state.campaign || meanwhile.has('delete') || meanwhile.has('create'), 'it found no campaign');
      else {
        demand(rows === 1 && state.campaign !== null, 'it found a campaign that was not there');
        model(state);
      }
    },
  };
}

export function transfer({ campaign }: Stage, to: OwnerId): Act {
  const text = 'update campaign_mirror.campaigns set owner_id = $2 where id = $1';
  return ofCampaign('transfer', text, [campaign, to], (state) => {
    const from = state.campaign?.owner;
    if (from !== to) state.entries.push(`campaign-transferred ${from} ${to}`);
    Object.assign(state.campaign ?? {}, { owner: to });
  });
}

export function flag({ campaign }: Stage, isDefault: boolean): Act {
  const text = 'update campaign_mirror.campaigns set is_default = $2 where id = $1';
  return ofCampaign('flag', text, [campaign, isDefault], (state) => {
    if (state.campaign?.isDefault !== isDefault)
      state.entries.push(isDefault ? 'default-set' : 'default-unset');
    Object.assign(state.campaign ?? {}, { isDefault });
  });
}

export function deletion({ campaign }: Stage): Act {
  const text = 'delete from campaign_mirror.campaigns where id = $1';
  return ofCampaign('delete', text, [campaign], (state) => {
    const { address, clicks } = state.mirror ?? {};
    state.entries.push(`campaign-deleted ${state.campaign?.owner} ${address} ${clicks}`);
    Object.assign(state, { campaign: null, mirror: null, deleted: address ?? state.deleted });
  });
}

export const creation = ({ campaign, owner }: Stage): Act => ({
  name: 'create',
  run: async (client) => {
    const campaigns = 'insert into campaign_mirror.campaigns (id, owner_id) values ($1, $2)';
    await client.query({ name: 'create', text: campaigns, values: [campaign, owner] });
    const mirrors = 'insert into campaign_mirror.mirrors (campaign_id, target_url) values ($1, $2)';
    await client.query({ name: 'create-mirror', text: mirrors, values: [campaign, anew] });
    return {};
  },
  // Another may have created it.
  faults: ['23505'],
  model: (state) => {
    demand(!state.campaign, 'it created what was there');
    state.entries.push('campaign-created', `mirror-created ${anew}`);
    // A mirror that comes back with another address was changed.
    const change = {
      subject: 'operator',
      request: 'comeback',
      before: state.deleted,
      after: anew,
      notBefore: 0,
    };
    if (state.deleted !== '') state.changes.push(change);
    state.campaign = { owner, isDefault: false };
    state.mirror = { address: anew, clicks: 0, isFirst: false };
  },
});

export const revocation = ({ key }: Stage): Act => ({
  name: 'revoke',
  run: async (client) => {
    const text = 'update campaign_mirror.access_keys set revoked_at = clock_timestamp() where id = $1';
    return { rows: (await client.query({ name: 'revoke', text, values: [key] })).rowCount };
  },
  model: (state, { rows }) => {
    demand(rows === 1, 'it found no key');
    state.entries.push(state.keyIsValid ? 'key-revoked' : 'key-changed');
    state.keyIsValid = false;
  },
});

export const click = ({ campaign }: Stage, nth: number): Act => ({
  name: 'click',
  run: async (client) => {
    const text = 'select count_clicks as again from campaign_mirror.count_clicks($1, $2)';
    // A second campaign is none.
    const values = [
      [campaign, 1, campaign],
      [10 ** nth, 7, 10 ** nth],
    ];
    return {
      again: (await client.query({ name: 'click', text, values })).rows.map(({ again }) => Number(again)),
    };
  },
  model: (state, { again }, beside) => {
    const passedOver = (again as number[]).length > 0;
    demand(`${again}` === (passedOver ? `${campaign}` : ''), `it asks for ${again} again`);
    if (passedOver) demand(overlaps(beside, ...locking), 'it passed over a mirror that nobody had locked');
    else if (state.mirror) state.mirror.clicks += 2 * 10 ** nth;
  },
});

export const prune = (): Act => ({
  name: 'prune',
  run: async (client) => {
    const text = `select pruned::int from campaign_mirror.prune_history(now() - interval '2 days', ${lastOldChange}, 100, 'tests', 'prune')`;
    return { pruned: (await client.query({ name: 'prune', text })).rows[0].pruned };
  },
  model: (state, { pruned }) => {
    demand(pruned === state.oldChanges, `it pruned ${pruned} of ${state.oldChanges}`);
    state.oldChanges = 0;
  },
});

/** Somebody who follows the feed from before the order begins, each look on its own. */
export function reader({ campaign }: Stage): Actor {
  let position: string | null = null;
  const text = 'select * from campaign_mirror.changes_since($1)';
  const look = async (client: pg.ClientBase) => {
    const { rows } = await client.query({ name: 'look', text, values: [position] });
    position = rows.at(-1)?.position ?? position;
    const own = rows.filter((row) => Number(row.campaign_id) === campaign);
    return { changes: own.map((row) => ({ id: Number(row.change_id), address: row.target_url })) };
  };
  const act: Act = { name: 'look', alone: true, run: look, model: () => {} };
  return { role: 'redirector', steps: [act, act], prepare: look, last: act };
}
