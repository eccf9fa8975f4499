import type { AuditedAct } from '@campaign-mirror/domain';
import { defineEntity, p, Type } from '@mikro-orm/core';
import { schema, timestampText } from './schema.ts';

/** `timestamptz(6)` as text, since a `Date` would lose the microseconds. */
class TimestampType extends Type<string, string> {
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

const timestamp = () => p.type(TimestampType).$type<string>();

export const CampaignEntity = defineEntity({
  name: 'Campaign',
  schema,
  tableName: 'campaigns',
  properties: {
    id: p.bigint('number').primary(),
    ownerId: p.bigint('number').fieldName('owner_id'),
    isDefault: p.boolean().fieldName('is_default'),
    name: p.string().nullable(),
    createdAt: timestamp().fieldName('created_at').defaultRaw('now()'),
  },
});

export const MirrorEntity = defineEntity({
  name: 'Mirror',
  schema,
  tableName: 'mirrors',
  properties: {
    id: p.bigint('number').primary(),
    campaignId: p.bigint('number').fieldName('campaign_id'),
    targetUrl: p.text().fieldName('target_url'),
    clicks: p.bigint('number').default(0),
    updatedExternally: p.boolean().fieldName('updated_externally').default(false),
    updatedExternallyAt: timestamp().fieldName('updated_externally_at').nullable(),
    createdAt: timestamp().fieldName('created_at').defaultRaw('now()'),
    updatedAt: timestamp().fieldName('updated_at').defaultRaw('now()'),
  },
});

export const AccessKeyEntity = defineEntity({
  name: 'AccessKey',
  schema,
  tableName: 'access_keys',
  properties: {
    id: p.bigint('number').primary(),
    hash: p.blob(),
    displayed: p.string(),
    name: p.string(),
    ownerId: p.bigint('number').fieldName('owner_id'),
    createdAt: timestamp().fieldName('created_at').defaultRaw('now()'),
    expiresAt: timestamp().fieldName('expires_at').nullable(),
    revokedAt: timestamp().fieldName('revoked_at').nullable(),
    lastUsedAt: timestamp().fieldName('last_used_at').nullable(),
    replacedBy: p.bigint('number').fieldName('replaced_by').nullable(),
  },
});

export const MirrorHistoryEntity = defineEntity({
  name: 'MirrorHistory',
  schema,
  tableName: 'mirror_history',
  properties: {
    campaignId: p.bigint('number').fieldName('campaign_id').primary(),
    id: p.bigint('number').primary(),
    mirrorId: p.bigint('number').fieldName('mirror_id'),
    actor: p.string(),
    accessKeyId: p.bigint('number').fieldName('access_key_id').nullable(),
    subject: p.text().nullable(),
    ownerId: p.bigint('number').fieldName('owner_id'),
    addressBefore: p.text().fieldName('address_before'),
    addressAfter: p.text().fieldName('address_after'),
    changedAt: timestamp().fieldName('changed_at'),
    requestId: p.string().fieldName('request_id'),
  },
});

export const OperatorAuditEntity = defineEntity({
  name: 'OperatorAudit',
  schema,
  tableName: 'operator_audit',
  properties: {
    id: p.bigint('number').primary(),
    actedAt: timestamp().fieldName('acted_at').defaultRaw('clock_timestamp()'),
    act: p.string().$type<AuditedAct>(),
    operator: p.string(),
    databaseRole: p.string().fieldName('database_role').defaultRaw('session_user'),
    requestId: p.string().fieldName('request_id'),
    campaignId: p.bigint('number').fieldName('campaign_id').nullable(),
    ownerId: p.bigint('number').fieldName('owner_id').nullable(),
    accessKeyId: p.bigint('number').fieldName('access_key_id').nullable(),
    details: p.json<Readonly<Record<string, string | number | boolean | null>>>(),
  },
});

export const entities = [
  CampaignEntity,
  MirrorEntity,
  AccessKeyEntity,
  MirrorHistoryEntity,
  OperatorAuditEntity,
];
