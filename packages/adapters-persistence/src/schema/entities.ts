import type * as domain from '@campaign-mirror/domain';
import { defineEntity, p, Type } from '@mikro-orm/core';
import { schema } from './schema.ts';
import { timestampText } from './times.ts';

/** `timestamptz(6)` as text, since a `Date` would lose the microseconds. */
class TimestampType extends Type<domain.Timestamp, string> {
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

const timestampColumn = () => p.type(TimestampType).$type<domain.Timestamp>();

export const CampaignEntity = defineEntity({
  name: 'Campaign',
  schema,
  tableName: 'campaigns',
  properties: {
    id: p.bigint('number').$type<domain.CampaignId>().primary(),
    ownerId: p.bigint('number').$type<domain.OwnerId>(),
    isDefault: p.boolean(),
    name: p.string().nullable(),
    createdAt: timestampColumn().defaultRaw('now()'),
  },
});

export const MirrorEntity = defineEntity({
  name: 'Mirror',
  schema,
  tableName: 'mirrors',
  properties: {
    id: p.bigint('number').$type<domain.MirrorId>().primary(),
    campaignId: p.bigint('number').$type<domain.CampaignId>(),
    targetUrl: p.text().$type<domain.MirrorAddress>(),
    clicks: p.bigint('number').default(0),
    updatedExternally: p.boolean().default(false),
    updatedExternallyAt: timestampColumn().nullable(),
    createdAt: timestampColumn().defaultRaw('now()'),
    updatedAt: timestampColumn().defaultRaw('now()'),
  },
});

export const AccessKeyEntity = defineEntity({
  name: 'AccessKey',
  schema,
  tableName: 'access_keys',
  properties: {
    id: p.bigint('number').$type<domain.AccessKeyId>().primary(),
    hash: p.blob(),
    displayed: p.string(),
    name: p.string(),
    ownerId: p.bigint('number').$type<domain.OwnerId>(),
    hosts: p.array().nullable(),
    createdAt: timestampColumn().defaultRaw('now()'),
    expiresAt: timestampColumn().nullable(),
    revokedAt: timestampColumn().nullable(),
    replacedBy: p.bigint('number').$type<domain.AccessKeyId>().nullable(),
    lastUsedAt: timestampColumn()
      .nullable()
      // As text: a formula is not converted.
      .formula(
        (columns) =>
          `(select ${timestampText('used_at')} from campaign_mirror.key_uses where access_key_id = ${columns.id})`,
      ),
  },
});

export const entities = [CampaignEntity, MirrorEntity, AccessKeyEntity];
