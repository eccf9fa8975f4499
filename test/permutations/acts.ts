import type { Role } from '@campaign-mirror/adapters-persistence/service';
import type { OwnerId } from '@campaign-mirror/domain';
import type pg from 'pg';
import type { State } from './judge.ts';
import { anew, lastOldChange, type Stage } from './stage.ts';

/*
 * What sessions do to one campaign: the statement, and what it must have seen and done if transactions ran one after
 * the other.
 */

/**
 * What a statement gave; `waitedUntil`: in microseconds, 0 if it did not wait; `waitedAt`: the last moment of the order at
 * which it did.
 */
export type Seen = Record<string, unknown> & {
  readonly error?: string;
  readonly waitedUntil?: number;
  readonly waitedAt?: number;
};

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
  /** It passes over what is locked. */
  readonly neverWaits?: boolean;
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

/** `nth` tells actors of one order apart. */
export type Make = (stage: Stage, nth: number) => Actor;

/** Steps that keep a mirror locked until their transaction ends. */
export const locking = ['set', 'operator-set', 'transfer', 'flag', 'delete', 'create', 'click'];
export const demand = (holds: boolean, what: string) => {
  if (!holds) throw new Error(what);
};
export const overlaps = (beside: ReadonlySet<string>, ...names: string[]) =>
  names.some((name) => beside.has(name));

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
    const mirrors = 'insert into campaign_mirror.mirrors (campaign_id, target_url) values ($1, $2)';
    // One behind the other, without waiting in between.
    await Promise.all([
      client.query({ name: 'create', text: campaigns, values: [campaign, owner] }),
      client.query({ name: 'create-mirror', text: mirrors, values: [campaign, anew] }),
    ]);
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

/** A key that is revoked, or expires at once. */
export const revocation = ({ key }: Stage, column: 'revoked_at' | 'expires_at'): Act => ({
  name: 'revoke',
  run: async (client) => {
    const text = `update campaign_mirror.access_keys set ${column} = clock_timestamp() where id = $1`;
    return { rows: (await client.query({ name: column, text, values: [key] })).rowCount };
  },
  model: (state, { rows }) => {
    demand(rows === 1, 'it found no key');
    const isRevoked = column === 'revoked_at' && !state.keyWas.includes(column);
    state.entries.push(isRevoked ? 'key-revoked' : 'key-changed');
    state.keyWas.push(column);
  },
});

export const click = ({ campaign }: Stage, nth: number): Act => ({
  name: 'click',
  neverWaits: true,
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
  const act: Act = { name: 'look', alone: true, neverWaits: true, run: look, model: () => {} };
  return { role: 'redirector', steps: [act, act], prepare: look, last: act };
}
