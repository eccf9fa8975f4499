import {
  type Statement,
  Statements,
  setMirrorText,
  type TextRow,
  type Value,
} from '@campaign-mirror/adapters-persistence';
import { InMemoryCampaigns, type InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
import type { CampaignRepository } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { setChainsText, setMirrorsText } from '../../packages/adapters-persistence/src/set-mirrors-text.ts';
import type { Company, PostgresWorldOptions } from './postgres-world.ts';

/** The ways in which an adapter is broken on purpose: what the contract has to notice. */
export type Breakage = 'writes blindly' | 'loses the history' | 'forgets the clicks' | 'has a stale before';

/** Those of updates that go together, each of another campaign. */
export type BreakageTogether = Exclude<Breakage, 'has a stale before'> | 'has times that do not rise';

/** Those of several of one campaign. */
export type BreakageOfChains =
  | BreakageTogether
  | 'has one before for all of a chain'
  | 'has one time for all of a chain'
  | 'loses the order of a chain'
  | 'leaves the first of a chain';

type Store = InMemoryStore;
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
  'loses the history': altered('    from changed\n', '    from changed where false\n'),
  // The service has no right to do so: the operator's role shows what the contract makes of it.
  'forgets the clicks': {
    ...altered('set target_url = $4', 'set clicks = 0, target_url = $4'),
    as: 'operator',
  },
  'has a stale before': altered(
    'timed.target_url as address_before',
    '(select target_url from campaign_mirror.mirrors where id = timed.id) as address_before',
  ),
};

/** The same of the statement for many. */
export const brokenTogether = brokenForMany({
  groupCommit: 'in company',
  right: setMirrorsText,
  recorded: 'from changed\n  )',
});

const chains = {
  groupCommit: 'beside a chain',
  right: setChainsText,
  recorded: 'from chained order by campaign_id, place\n  )',
} as const;

/** The same of the one for chains, and what only a chain of updates can do wrong. */
export const brokenInChains: Record<BreakageOfChains, PostgresWorldOptions> = {
  ...brokenForMany(chains),
  'has one before for all of a chain': alteredForMany(
    chains,
    'lag(address, 1, address_before) over chain',
    'address_before',
  ),
  'has one time for all of a chain': alteredForMany(
    chains,
    "+ (row_number() over chain - 1) * interval '1 microsecond'",
    '',
  ),
  'loses the order of a chain': alteredForMany(
    chains,
    'from chained order by campaign_id, place',
    'from chained order by campaign_id, place desc',
  ),
  'leaves the first of a chain': alteredForMany(chains, 'lead(place)', 'lag(place)'),
};

/** A statement for many, and what brings it about. */
interface ForMany {
  readonly groupCommit: Company;
  readonly right: string;
  /** Where what is recorded comes from. */
  readonly recorded: string;
}

function brokenForMany(of: ForMany): Record<BreakageTogether, PostgresWorldOptions> {
  return {
    'writes blindly': alteredForMany(
      of,
      'where campaigns.owner_id = asked.owner_id and campaigns.is_default = asked.is_default',
      '',
    ),
    'loses the history': alteredForMany(
      of,
      of.recorded,
      of.recorded.replace(/(from \w+).*/, '$1 where false'),
    ),
    'forgets the clicks': {
      ...alteredForMany(of, 'set target_url = address', 'set clicks = 0, target_url = address'),
      as: 'operator',
    },
    'has times that do not rise': alteredForMany(
      of,
      "greatest(clock_timestamp(), updated_at + interval '1 microsecond')",
      'clock_timestamp()',
    ),
  };
}

function broken(store: Store, setMirror: (right: InMemoryCampaigns) => SetMirror): CampaignRepository {
  const right = new InMemoryCampaigns(store);
  return { find: (id) => right.find(id), setMirror: setMirror(right) };
}

function altered(line: string, instead: string): PostgresWorldOptions {
  return { groupCommit: 'off', statementsOn: alteration(setMirrorText, line, instead) };
}

function alteredForMany(
  { groupCommit, right }: ForMany,
  line: string,
  instead: string,
): PostgresWorldOptions {
  return { groupCommit, statementsOn: alteration(right, line, instead) };
}

function alteration(right: string, line: string, instead: string): (pool: Pool) => Statements {
  if (!right.includes(line)) throw new Error(`the statement has no '${line}'`);
  class Altered extends Statements {
    override run<Row extends TextRow>(statement: Statement, values: readonly Value[]): Promise<Row[]> {
      const { text } = statement;
      return super.run(
        { ...statement, text: text === right ? text.replace(line, () => instead) : text },
        values,
      );
    }
  }
  return (pool) => new Altered(pool);
}
