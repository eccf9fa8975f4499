import type {
  AccessKeyId,
  Audit,
  AuditEntry,
  AuditId,
  AuditPage,
  CampaignId,
  OwnerId,
  Timestamp,
} from '@campaign-mirror/domain';
import type { InferEntity, MikroORM } from '@mikro-orm/postgresql';
import { OperatorAuditEntity } from './entities.ts';
import { ormFault } from './orm-faults.ts';

/** The audit of the operator's acts, in PostgreSQL. */
export class PostgresAudit implements Audit {
  readonly #orm: MikroORM;

  constructor(orm: MikroORM) {
    this.#orm = orm;
  }

  async list({ campaign, before, limit }: AuditPage): Promise<AuditEntry[]> {
    const asked = {
      ...(campaign !== undefined && { campaignId: campaign }),
      ...(before !== undefined && { id: { $lt: before } }),
    };
    try {
      const rows = await this.#orm.em
        .fork()
        .find(OperatorAuditEntity, asked, { orderBy: { id: 'desc' }, limit });
      return rows.map(entryOf);
    } catch (error) {
      throw ormFault(error);
    }
  }
}

function entryOf(row: InferEntity<typeof OperatorAuditEntity>): AuditEntry {
  return {
    id: row.id as AuditId,
    at: row.actedAt as Timestamp,
    act: row.act,
    operator: row.operator,
    databaseRole: row.databaseRole,
    requestId: row.requestId,
    campaignId: (row.campaignId ?? null) as CampaignId | null,
    ownerId: (row.ownerId ?? null) as OwnerId | null,
    accessKeyId: (row.accessKeyId ?? null) as AccessKeyId | null,
    details: row.details,
  };
}
