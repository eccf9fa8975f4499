import {
  InMemoryCampaigns,
  type InMemoryStore,
  PostgresCampaigns,
  SingleStatements,
  Statements,
  setMirrorText,
} from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository } from '@campaign-mirror/domain';
import type { QueryResultRow } from 'pg';
import type { PostgresWorldOptions } from './postgres-world.ts';

/** The ways in which an adapter is broken on purpose: what the contract has to notice. */
export type Breakage = 'writes blindly' | 'loses the history' | 'forgets the clicks' | 'has a stale before';

type Store = InMemoryStore;
type Statement = Parameters<Statements['run']>[0];
type SetMirror = CampaignRepository['setMirror'];

export const brokenInMemory: Record<Breakage, (store: Store) => CampaignRepository> = {
  'writes blindly': (store) =>
    broken(store, (right) => async (seen, change) => {
      const now = await right.find(seen.id);
      return now ? right.setMirror({ ...now, hasMirror: seen.hasMirror }, change) : undefined;
    }),

  'loses the history': (store) =>
    broken(store, (right) => async (seen, change) => {
      const mirror = await right.setMirror(seen, change);
      if (mirror) store.history.pop();
      return mirror;
    }),

  'forgets the clicks': (store) =>
    broken(store, (right) => async (seen, change) => {
      const mirror = await right.setMirror(seen, change);
      const stored = store.mirrors.get(seen.id);
      if (stored) stored.clicks = 0;
      return mirror && { ...mirror, clicks: 0 };
    }),

  'has a stale before': (store) =>
    broken(store, (right) => async (seen, change) => {
      const addressBefore = store.mirrors.get(seen.id)?.targetUrl;
      await Promise.resolve();
      const mirror = await right.setMirror(seen, change);
      const row = store.history.at(-1);
      if (mirror && row && addressBefore) store.history[store.history.length - 1] = { ...row, addressBefore };
      return mirror;
    }),
};

/** The same on PostgreSQL: the right statement without what holds the line. */
export const brokenInPostgres: Record<Breakage, PostgresWorldOptions> = {
  'writes blindly': altered(
    'and owner_id = $2 and is_default = $3',
    'and ($2::bigint, $3::boolean) is not null',
  ),
  'loses the history': altered('on timed.id = changed.id', 'on false'),
  // The service has no right to do so: the operator's role shows what the contract makes of it.
  'forgets the clicks': {
    ...altered('set target_url = $4', 'set clicks = 0, target_url = $4'),
    as: 'operator',
  },
  'has a stale before': altered(
    'timed.target_url, changed.target_url',
    '(select target_url from campaign_mirror.mirrors where id = timed.id), changed.target_url',
  ),
};

function broken(store: Store, setMirror: (right: InMemoryCampaigns) => SetMirror): CampaignRepository {
  const right = new InMemoryCampaigns(store);
  return { find: (id) => right.find(id), setMirror: setMirror(right) };
}

function altered(line: string, instead: string): PostgresWorldOptions {
  if (!setMirrorText.includes(line)) throw new Error(`the statement has no '${line}'`);
  class Altered extends Statements {
    override run<Row extends QueryResultRow>({ name, text }: Statement, values: unknown[]): Promise<Row[]> {
      return super.run({ name, text: text.replace(line, () => instead) }, values);
    }
  }
  return { campaignsOn: (_, pool) => new PostgresCampaigns(new SingleStatements(new Altered(pool))) };
}
