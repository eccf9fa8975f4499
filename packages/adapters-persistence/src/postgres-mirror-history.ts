import type {
  AccessKeyId,
  CampaignId,
  HistoryEntry,
  HistoryId,
  HistoryPage,
  MirrorAddress,
  MirrorHistory,
  MirrorId,
  OwnerId,
  Timestamp,
} from '@campaign-mirror/domain';
import type { InferEntity, MikroORM } from '@mikro-orm/postgresql';
import { MirrorHistoryEntity } from './entities.ts';
import { ormFault } from './orm-faults.ts';

/** The history in PostgreSQL. Its primary key, which begins with the campaign, is its only index. */
export class PostgresMirrorHistory implements MirrorHistory {
  readonly #orm: MikroORM;

  constructor(orm: MikroORM) {
    this.#orm = orm;
  }

  async list({ campaign, before, limit }: HistoryPage): Promise<HistoryEntry[]> {
    const where = { campaignId: campaign, ...(before && { id: { $lt: before } }) };
    try {
      const em = this.#orm.em.fork();
      const rows = await em.find(MirrorHistoryEntity, where, { orderBy: { id: 'desc' }, limit });
      return rows.map(entryOf);
    } catch (error) {
      throw ormFault(error);
    }
  }

  async find(campaign: CampaignId, id: HistoryId): Promise<HistoryEntry | undefined> {
    try {
      const row = await this.#orm.em.fork().findOne(MirrorHistoryEntity, { campaignId: campaign, id });
      return row ? entryOf(row) : undefined;
    } catch (error) {
      throw ormFault(error);
    }
  }
}

function entryOf(row: InferEntity<typeof MirrorHistoryEntity>): HistoryEntry {
  return {
    id: row.id as HistoryId,
    mirrorId: row.mirrorId as MirrorId,
    campaignId: row.campaignId as CampaignId,
    actor: row.actor,
    accessKeyId: (row.accessKeyId ?? null) as AccessKeyId | null,
    ownerId: row.ownerId as OwnerId,
    addressBefore: row.addressBefore as MirrorAddress,
    addressAfter: row.addressAfter as MirrorAddress,
    changedAt: row.changedAt as Timestamp,
    requestId: row.requestId,
  };
}
