import type {
  AccessKeyId,
  CampaignId,
  MirrorAddress,
  MirrorId,
  OwnerId,
  Timestamp,
} from '@campaign-mirror/domain';
import { defineEntity, p, Type } from '@mikro-orm/core';
import { schema, timestampText } from './schema.ts';

/** `timestamptz(6)` as text, since a `Date` would lose the microseconds. */
class TimestampType extends Type<Timestamp, string> {
  override getColumnType() {
    return 'timestamptz(6)';
  }
  // Otherwise MikroORM treats the column's type as a `Date`.
  override get runtimeType() {
    return 'string';
  }
  override compareAsType() {
    return 'string';
  }
  override convertToJSValueSQL(column: string) {
    return timestampText(column);
  }
}

const timestampColumn = () => p.type(TimestampType).$type<Timestamp>();

export const CampaignEntity = defineEntity({
  name: 'Campaign',
  schema,
  tableName: 'campaigns',
  properties: {
    id: p.bigint('number').$type<CampaignId>().primary(),
    ownerId: p.bigint('number').$type<OwnerId>().fieldName('owner_id'),
    isDefault: p.boolean().fieldName('is_default'),
    name: p.string().nullable(),
    createdAt: timestampColumn().fieldName('created_at').defaultRaw('now()'),
  },
});

export const MirrorEntity = defineEntity({
  name: 'Mirror',
  schema,
  tableName: 'mirrors',
  properties: {
    id: p.bigint('number').$type<MirrorId>().primary(),
    campaignId: p.bigint('number').$type<CampaignId>().fieldName('campaign_id'),
    targetUrl: p.text().$type<MirrorAddress>().fieldName('target_url'),
    clicks: p.bigint('number').default(0),
    updatedExternally: p.boolean().fieldName('updated_externally').default(false),
    updatedExternallyAt: timestampColumn().fieldName('updated_externally_at').nullable(),
    createdAt: timestampColumn().fieldName('created_at').defaultRaw('now()'),
    updatedAt: timestampColumn().fieldName('updated_at').defaultRaw('now()'),
  },
});

export const AccessKeyEntity = defineEntity({
  name: 'AccessKey',
  schema,
  tableName: 'access_keys',
  properties: {
    id: p.bigint('number').$type<AccessKeyId>().primary(),
    hash: p.blob(),
    displayed: p.string(),
    name: p.string(),
    ownerId: p.bigint('number').$type<OwnerId>().fieldName('owner_id'),
    createdAt: timestampColumn().fieldName('created_at').defaultRaw('now()'),
    expiresAt: timestampColumn().fieldName('expires_at').nullable(),
    revokedAt: timestampColumn().fieldName('revoked_at').nullable(),
    lastUsedAt: timestampColumn().fieldName('last_used_at').nullable(),
    replacedBy: p.bigint('number').$type<AccessKeyId>().fieldName('replaced_by').nullable(),
  },
});

export const entities = [CampaignEntity, MirrorEntity, AccessKeyEntity];
