import type * as domain from '@campaign-mirror/domain';
import type { Pool, PoolClient } from 'pg';
import { textRowsOf } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';
import { namesOf } from '../schema/schema.ts';
import {
  entryOf,
  type MirrorToSet,
  mirrorsValues,
  resultsOf,
  type SetResult,
  setMirrorsAsOperatorText,
} from '../statements/set-mirrors.ts';

/** What the audit records about mirrors that the operator sets. */
interface AuditedSetting {
  readonly kind: 'mirror-set' | 'mirror-restored' | 'mirrors-moved';
  readonly owner: domain.OwnerId | null;
  readonly details: Readonly<Record<string, string | number | boolean>>;
  /** The move that it continues. */
  readonly partOf?: domain.AuditId | undefined;
}

/**
 * Sets mirrors for the operator, and records that in the history and the audit, all in one transaction. Only a statement
 * for a single mirror may wait for a lock: as long as the database does, or up to `lockTimeout` milliseconds. Returns the
 * result of each, and the number of the entry in the audit, which exists if any mirror was set. @throws Unavailable
 */
export async function setAsOperator(
  pool: Pool,
  act: domain.OperatorAct,
  mirrors: readonly MirrorToSet[],
  { kind, owner, details, partOf }: AuditedSetting,
  { waits, lockTimeout }: { waits: boolean; lockTimeout?: number },
): Promise<{ results: SetResult[]; entry: domain.AuditId }> {
  const noted = [kind, ...namesOf(act), owner, JSON.stringify(details), partOf ?? null];
  const text = setMirrorsAsOperatorText({ waits });
  const settings = lockTimeout === undefined ? '' : `set local lock_timeout = ${lockTimeout}`;
  const set = async (client: PoolClient) => {
    const rows = await textRowsOf(client, text, [...mirrorsValues(mirrors), ...noted]);
    return { results: resultsOf(mirrors, rows), entry: entryOf(rows) as domain.AuditId };
  };
  return inTransaction(pool, set, settings);
}

export const postgresOperatorMirrors = (pool: Pool, act: domain.OperatorAct): domain.OperatorMirrors => ({
  setMirror: async (seen, address, change) => {
    if (!seen.hasMirror) return undefined;
    const kind = change === undefined ? 'mirror-set' : 'mirror-restored';
    const { id: campaign, ownerId: owner, isDefault } = seen;
    const audited = { kind, owner, details: change === undefined ? {} : { change } } as const;
    const toSet = { campaign, owner, isDefault, address };
    const {
      results: [result],
    } = await setAsOperator(pool, act, [toSet], audited, { waits: true });
    return result?.kind === 'mirror-set' ? result.mirror : undefined;
  },
});
