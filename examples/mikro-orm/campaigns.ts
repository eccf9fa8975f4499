import { isDatabaseAway } from '@campaign-mirror/adapters-persistence';
import * as domain from '@campaign-mirror/domain';
import {
  type EntityManager,
  type InferEntity,
  IsolationLevel,
  LockMode,
  type MikroORM,
} from '@mikro-orm/postgresql';
import { Campaign, Change, Mirror, timestampText } from './entities.ts';

/** Independent of the database's default: a transaction that waited for a lock must see the committed rows. */
const isolationLevel = IsolationLevel.READ_COMMITTED;
const forShare = { lockMode: LockMode.PESSIMISTIC_READ, lockTableAliases: ['c0'] };
const forUpdate = { lockMode: LockMode.PESSIMISTIC_WRITE };

/** The application's campaigns and mirrors. There are no access keys: a caller with one is refused. */
export class OrmCampaigns implements domain.CampaignRepository {
  readonly #orm: MikroORM;

  constructor(orm: MikroORM) {
    this.#orm = orm;
  }

  find(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    return answering(async () => {
      // In one statement: two statements could see different states.
      const campaign = await this.#orm.em.fork().findOne(Campaign, { id }, { populate: ['mirror'] });
      return campaign ? asSeen(campaign, campaign.mirror !== null) : undefined;
    });
  }

  async setMirror(seen: domain.Campaign, change: domain.MirrorChange): Promise<domain.SetMirrorResult> {
    if (change.key !== undefined) return { kind: 'caller-invalid' };
    return answering(() =>
      this.#orm.em.fork().transactional((em) => setIfAsSeen(em, seen, change), { isolationLevel }),
    );
  }
}

/** Locks the judged rows, then reads everything else: nothing that was judged changes before the commit. */
async function setIfAsSeen(
  em: EntityManager,
  seen: domain.Campaign,
  { address, by, requestId, lastChange: expected }: domain.MirrorChange,
): Promise<domain.SetMirrorResult> {
  const { id } = seen;
  const campaign = await em.findOne(Campaign, { id }, forShare);
  const mirror = await em.findOne(Mirror, { campaign: id }, forUpdate);
  const { ownerId, isDefault } = campaign ?? {};
  if (!campaign || !mirror || !seen.hasMirror || ownerId !== seen.ownerId || isDefault !== seen.isDefault)
    return { kind: 'campaign-differs', campaign: campaign ? asSeen(campaign, mirror !== null) : undefined };

  const last = await em.findOne(Change, { campaignId: id }, { orderBy: { id: 'desc' } });
  const lastChange = last?.id ?? 0;
  if (expected !== undefined && expected !== lastChange)
    return { kind: 'condition-failed', mirror: answered(mirror), lastChange };

  const at = await later(em, mirror.updatedAt);
  const recorded = em.create(Change, {
    ...{ campaignId: id, mirrorId: mirror.id, subject: by.subject, ownerId: seen.ownerId, requestId },
    ...{ addressBefore: mirror.targetUrl, addressAfter: address, changedAt: at },
  });
  // Writes only these columns: clicks that others count meanwhile are not lost.
  em.assign(mirror, { targetUrl: address, updatedExternallyAt: at, updatedAt: at });
  await em.flush();
  return { kind: 'mirror-set', mirror: answered(mirror), lastChange: recorded.id };
}

/** The time of a change, read under the locks: later than the last change, also if the clock was set back. */
async function later(em: EntityManager, last: domain.Timestamp): Promise<domain.Timestamp> {
  const time = timestampText("greatest(clock_timestamp(), ?::timestamptz + interval '1 microsecond')");
  const [row] = await em.execute<{ now: domain.Timestamp }[]>(`select ${time} as now`, [last]);
  return row?.now as domain.Timestamp;
}

function asSeen(
  { id, ownerId, isDefault }: InferEntity<typeof Campaign>,
  hasMirror: boolean,
): domain.Campaign {
  return { id, ownerId, isDefault, hasMirror };
}

export function answered(mirror: InferEntity<typeof Mirror>): domain.Mirror {
  const { id, targetUrl, clicks, updatedExternallyAt = null, createdAt, updatedAt } = mirror;
  const external = { updatedExternally: updatedExternallyAt !== null, updatedExternallyAt };
  return { id, campaignId: mirror.campaign.id, targetUrl, clicks, ...external, createdAt, updatedAt };
}

/** Throws `Unavailable` for an error that may pass. Any other error is a fault of the program. */
export async function answering<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (isDatabaseAway(cause)) throw new domain.Unavailable('PostgreSQL did not answer', { cause });
    throw cause;
  }
}
