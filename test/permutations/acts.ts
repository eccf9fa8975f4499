import type { Role } from '@campaign-mirror/adapters-persistence/service';
import type { OwnerId } from '@campaign-mirror/domain';
import type pg from 'pg';
import type { State } from './judge.ts';
import { anew, type Stage } from './stage.ts';

/*
 * What sessions do to one campaign: the statement, and what it must have seen and done if transactions ran one after
 * the other.
 */

/** The result of a statement. `waitedAt`: the last moment of the order at which it waited for a lock; 0: it did not. */
export type Seen = Record<string, unknown> & { readonly error?: string; readonly waitedAt?: number };

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
  /** It passes over locked rows. */
  readonly neverWaits?: boolean;
  readonly request?: string;
  /** SQLSTATE of a fault that the act may end with. */
  readonly fault?: string;
}

export interface Actor {
  readonly role: Role;
  readonly steps: readonly (Act | 'begin' | 'commit' | 'rollback')[];
  readonly prepare?: (client: pg.ClientBase) => Promise<unknown>;
  readonly last?: Act;
}

/** `nth` tells the actors of one order apart. */
export type Make = (stage: Stage, nth: number) => Actor;

export const demand = (holds: boolean, what: string) => {
  if (!holds) throw new Error(what);
};

/** Throws unless a transaction beside this one may have locked the mirror. */
export function demandLock(beside: ReadonlySet<string>): void {
  const locking = ['set', 'operator-set', 'transfer', 'flag', 'delete', 'create', 'click'];
  demand(
    locking.some((name) => beside.has(name)),
    'it passed over a mirror that nobody had locked',
  );
}

/**
 * A statement of the operator for one row. After a wait for a deletion, it finds none; and each statement of a
 * transaction has its own snapshot (READ COMMITTED).
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
    await Promise.all([
      client.query({ name: 'create', text: campaigns, values: [campaign, owner] }),
      client.query({ name: 'create-mirror', text: mirrors, values: [campaign, anew] }),
    ]);
    return {};
  },
  // Another session may have created it.
  fault: '23505',
  model: (state) => {
    demand(!state.campaign, 'it created what was there');
    state.entries.push('campaign-created', `mirror-created ${anew}`);
    // A mirror that comes back with another address is a change.
    if (state.deleted !== '')
      state.changes.push({ subject: 'operator', request: 'comeback', before: state.deleted, after: anew });
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
    state.entries.push(state.isRevoked ? 'key-changed' : 'key-revoked');
    state.isRevoked = true;
  },
});

export const click = ({ campaign }: Stage, nth: number): Act => ({
  name: 'click',
  neverWaits: true,
  run: async (client) => {
    const text = 'select count_clicks::int as again from campaign_mirror.count_clicks($1, $2)';
    const values = [[campaign], [10 ** nth]];
    return { again: (await client.query({ name: 'click', text, values })).rows.map(({ again }) => again) };
  },
  model: (state, { again }, beside) => {
    if (`${again}` === `${campaign}`) demandLock(beside);
    else {
      demand(`${again}` === '', `it asks for ${again} again`);
      if (state.mirror) state.mirror.clicks += 10 ** nth;
    }
  },
});

/** Follows the feed from before the order begins. Each poll is its own transaction. */
export function reader({ campaign }: Stage): Actor {
  let position: string | null = null;
  const text = 'select * from campaign_mirror.changes_since($1)';
  const run = async (client: pg.ClientBase) => {
    const { rows } = await client.query({ name: 'poll', text, values: [position] });
    position = rows.at(-1)?.position ?? position;
    const own = rows.filter((row) => Number(row.campaign_id) === campaign);
    return { changes: own.map((row) => ({ id: Number(row.change_id), address: row.target_url })) };
  };
  const poll: Act = { name: 'poll', alone: true, neverWaits: true, run, model: () => {} };
  return { role: 'redirector', steps: [poll, poll], prepare: run, last: poll };
}
