import type { HotPathObserver, OpenHotPath } from '@campaign-mirror/adapters-persistence';
import type { Pool } from 'pg';
import type { TextRow } from '../../../packages/adapters-persistence/src/connection/rows.ts';
import { type Statement, Statements } from '../../../packages/adapters-persistence/src/hot-path/batches.ts';
import {
  groupedUpdates,
  postgresCampaigns,
} from '../../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import {
  groupedLookUps,
  postgresIdentity,
} from '../../../packages/adapters-persistence/src/hot-path/identity.ts';
import { KeyUses } from '../../../packages/adapters-persistence/src/hot-path/key-uses.ts';
import { patient } from '../database/patient.ts';

/** As the service has it, except that only `uses.write` and `uses.stop` write uses of keys. */
export function hotPathBy(
  pool: Pool,
  {
    statements = new Statements(pool),
    observer = {} as HotPathObserver,
    uses = new KeyUses(pool, { gatherFor: 2 ** 30 }),
    maxLocked = patient.size / 2,
    timeout = patient.waitTimeout,
  } = {},
): OpenHotPath {
  const lookUps = groupedLookUps(statements, timeout, observer);
  const set = groupedUpdates(statements, { maxLocked, timeout }, observer);
  const campaigns = postgresCampaigns(lookUps.campaign, set, uses);
  return { campaigns, identity: postgresIdentity(lookUps.key, uses), uses };
}

/** Statements that come to what `instead` makes of them: of the `nth`, from 1, which `run` runs. */
export function statementsBy(
  pool: Pool,
  instead: (run: () => Promise<TextRow[]>, statement: Statement, nth: number) => Promise<readonly TextRow[]>,
): Statements {
  let nth = 0;
  class Staged extends Statements {
    override run<Row extends TextRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      nth += 1;
      return instead(() => super.run(statement, values), statement, nth) as Promise<Row[]>;
    }
  }
  return new Staged(pool);
}
