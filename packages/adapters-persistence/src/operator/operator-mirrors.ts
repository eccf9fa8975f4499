import type {
  Campaign,
  HistoryId,
  Mirror,
  MirrorAddress,
  OperatorAct,
  OperatorMirrors,
} from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { mirrorSetTo, type SetMirrorRow } from '../statements/mirror-row.ts';
import { setMirrorByOperatorText } from '../statements/set-mirror-text.ts';
import { type Statement, Statements } from '../statements/statements.ts';

const set: Statement = {
  name: 'set-mirror-as-operator',
  text: setMirrorByOperatorText({
    actor: "'operator'",
    accessKeyId: 'null',
    subject: 'null',
    requestId: '$5',
    also: `noted as (
      insert into campaign_mirror.operator_audit (act, operator, request_id, campaign_id, owner_id, details)
      select case when $7::bigint is null then 'mirror-set' else 'mirror-restored' end, $6, $5, campaign_id, owner_id,
        jsonb_strip_nulls(jsonb_build_object('change', $7::bigint, 'address_before', address_before,
          'address_after', address_after))
      from changed
    )`,
  }),
};

/** Mirrors as the operator sets them, in PostgreSQL: one statement sets, records and audits. */
export class PostgresOperatorMirrors implements OperatorMirrors {
  readonly #statements: Statements;
  readonly #act: OperatorAct;

  constructor(pool: Pool, act: OperatorAct) {
    this.#statements = new Statements(pool, { named: false });
    this.#act = act;
  }

  async setMirror(
    seen: Campaign,
    address: MirrorAddress,
    change: HistoryId | undefined,
  ): Promise<Mirror | undefined> {
    if (!seen.hasMirror) return undefined;
    const { operator, requestId } = this.#act;
    const values = [seen.id, seen.ownerId, seen.isDefault, address, requestId, operator, change ?? null];
    const [row] = await this.#statements.run<SetMirrorRow>(set, values);
    return row && mirrorSetTo(seen.id, address, row);
  }
}
