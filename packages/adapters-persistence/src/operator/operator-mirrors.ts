import type {
  AuditId,
  Campaign,
  HistoryId,
  Mirror,
  MirrorAddress,
  OperatorAct,
  OperatorMirrors,
  OwnerId,
} from '@campaign-mirror/domain';
import type { ClientBase, Pool } from 'pg';
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

const texts = {
  waiting: setMirrorsAsOperatorText({ waits: true }),
  passingOver: setMirrorsAsOperatorText({ waits: false }),
};

/** What the audit records about mirrors that the operator sets. */
export interface AuditedSetting {
  readonly kind: 'mirror-set' | 'mirror-restored' | 'mirrors-moved';
  readonly owner: OwnerId | null;
  readonly details: Readonly<Record<string, string | number | boolean>>;
  /** The move that it continues. */
  readonly partOf?: AuditId | undefined;
}

/**
 * Sets mirrors for the operator, and records that in the history and the audit, all in one transaction. Only a
 * statement for a single mirror may wait. Returns the result of each, and the number of the entry in the audit, which
 * exists if any mirror was set. @throws Unavailable
 */
export async function setAsOperator(
  client: ClientBase,
  act: OperatorAct,
  mirrors: readonly MirrorToSet[],
  { kind, owner, details, partOf }: AuditedSetting,
  locked: keyof typeof texts,
): Promise<{ results: SetResult[]; entry: AuditId }> {
  const noted = [kind, ...namesOf(act), owner, JSON.stringify(details), partOf ?? null];
  const rows = await textRowsOf(client, texts[locked], [...mirrorsValues(mirrors), ...noted]);
  return { results: resultsOf(mirrors, rows), entry: entryOf(rows) as AuditId };
}

/** Mirrors as the operator sets them, in PostgreSQL: one statement sets, records and audits. */
export class PostgresOperatorMirrors implements OperatorMirrors {
  readonly #pool: Pool;
  readonly #act: OperatorAct;

  constructor(pool: Pool, act: OperatorAct) {
    this.#pool = pool;
    this.#act = act;
  }

  async setMirror(
    seen: Campaign,
    address: MirrorAddress,
    change: HistoryId | undefined,
  ): Promise<Mirror | undefined> {
    if (!seen.hasMirror) return undefined;
    const kind = change === undefined ? 'mirror-set' : 'mirror-restored';
    const { id: campaign, ownerId: owner, isDefault } = seen;
    const audited = { kind, owner, details: change === undefined ? {} : { change } } as const;
    const { results } = await inTransaction(this.#pool, (client) =>
      setAsOperator(client, this.#act, [{ campaign, owner, isDefault, address }], audited, 'waiting'),
    );
    return results[0]?.kind === 'mirror-set' ? results[0].mirror : undefined;
  }
}
