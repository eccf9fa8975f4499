import type { CampaignRecord, Mirror, OwnerHasDefault, OwnerId } from '@campaign-mirror/domain';
import {
  type EntityManager,
  type InferEntity,
  UniqueConstraintViolationException,
  wrap,
} from '@mikro-orm/postgresql';
import { CampaignEntity, type MirrorEntity } from '../schema/entities.ts';

/** The owner's default campaign. */
export async function defaultOf(em: EntityManager, ownerId: OwnerId): Promise<OwnerHasDefault | undefined> {
  const taken = await em.findOne(CampaignEntity, { ownerId, isDefault: true });
  if (!taken) return undefined;
  return { kind: 'owner-has-default', ownerId, id: taken.id, name: taken.name ?? null };
}

/**
 * Where another transaction made its campaign the owner's default meanwhile, the act is repeated and finds that one.
 */
export async function unlessOvertaken<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!violates(error, 'one_default_campaign_an_owner')) throw error;
    }
  }
}

/** Not any unique constraint: an explicit identifier may be taken, too. */
export function violates(error: unknown, constraint: string): boolean {
  const named = error as UniqueConstraintViolationException & { constraint?: string };
  return error instanceof UniqueConstraintViolationException && named.constraint === constraint;
}

/** The fields of an entity are those of the domain. */
export function mirrorOfEntity(row: InferEntity<typeof MirrorEntity>): Mirror {
  return wrap(row).toObject() as Mirror;
}

export function recordOfEntity(
  row: InferEntity<typeof CampaignEntity>,
  mirror: Mirror | null,
): CampaignRecord {
  return { ...wrap(row).toObject(), mirror } as CampaignRecord;
}
