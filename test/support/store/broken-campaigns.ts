import type { Pool } from 'pg';
import {
  setChainsText,
  setHeldChainsText,
  setMirrorsText,
} from '../../../packages/adapters-persistence/src/hot-path/set-mirrors-text.ts';
import type { TextRow, Value } from '../../../packages/adapters-persistence/src/statements/extended-query.ts';
import { provenCaller } from '../../../packages/adapters-persistence/src/statements/judged-facts.ts';
import { setMirrorText } from '../../../packages/adapters-persistence/src/statements/set-mirror-text.ts';
import {
  type Statement,
  Statements,
} from '../../../packages/adapters-persistence/src/statements/statements.ts';
import type { Company, PostgresWorldOptions } from './postgres-world.ts';

/** The ways in which the statement for one update, which waits for nobody, is broken on purpose. */
export type Breakage = 'writes blindly' | 'trusts the claim' | 'loses the history' | 'forgets the clicks';

/** Those of updates that go together, each of another campaign. */
type BreakageTogether = Breakage | 'has times that do not rise';

/** Those of several of one campaign. */
type BreakageOfChains =
  | BreakageTogether
  | 'has one before for all of a chain'
  | 'has one time for all of a chain'
  | 'loses the order of a chain'
  | 'leaves the first of a chain';

export const brokenInPostgres: Record<Breakage, PostgresWorldOptions> = {
  'writes blindly': altered(
    'and owner_id = $2 and is_default = $3',
    'and ($2::bigint, $3::boolean) is not null',
  ),
  'trusts the claim': altered(` and ${provenCaller('$5::bigint', '$2')}`, ''),
  'loses the history': altered('    from changed\n', '    from changed where false\n'),
  // The service has no right to do so: the operator's role shows what the contract makes of it.
  'forgets the clicks': {
    ...altered('set target_url = $4', 'set clicks = 0, target_url = $4'),
    as: 'operator',
  },
};

/** The same of the statement for many. */
export const brokenTogether = brokenForMany({
  company: 'in company',
  right: [setMirrorsText],
  recorded: 'from changed\n  )\n',
});

const chains = {
  company: 'beside a chain',
  right: [setChainsText, setHeldChainsText],
  recorded: 'from written order by campaign_id, place\n  )\n',
} as const;

/** The same of those for chains, and what only a chain of updates can do wrong. */
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
    'from written order by campaign_id, place',
    'from written order by campaign_id, place desc',
  ),
  'leaves the first of a chain': alteredForMany(chains, 'lead(place)', 'lag(place)'),
};

/** A statement for many, and what brings it about. */
interface ForMany {
  readonly company: Company;
  readonly right: readonly string[];
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
    'trusts the claim': alteredForMany(of, ' and caller_is_valid', ''),
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

function altered(line: string, instead: string): PostgresWorldOptions {
  return { statementsOn: alteration([setMirrorText], line, instead) };
}

function alteredForMany({ company, right }: ForMany, line: string, instead: string): PostgresWorldOptions {
  return { company, statementsOn: alteration(right, line, instead) };
}

function alteration(right: readonly string[], line: string, instead: string): (pool: Pool) => Statements {
  if (!right.every((text) => text.includes(line))) throw new Error(`a statement has no '${line}'`);
  class Altered extends Statements {
    override run<Row extends TextRow>(statement: Statement, values: readonly Value[]): Promise<Row[]> {
      const { text } = statement;
      return super.run(
        { ...statement, text: right.includes(text) ? text.replace(line, () => instead) : text },
        values,
      );
    }
  }
  return (pool) => new Altered(pool);
}
