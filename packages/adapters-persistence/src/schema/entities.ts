import type * as domain from '@campaign-mirror/domain';
import type { AuditEntry, AuditId } from '@campaign-mirror/domain/operator';
import { defineEntity, p, Type } from '@mikro-orm/core';
import { schema } from './schema.ts';
import { timestampText } from './stored-values.ts';

/** `timestamptz(6)` as text: a `Date` would lose the microseconds. */
class TimestampType extends Type<domain.Timestamp, string> {
  override getColumnType() {
    return 'timestamptz(6)';
  }
  // Otherwise MikroORM converts the column to a `Date`.
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

/** A text: MikroORM does not convert formulas. */
const lastUse = ({ id }: Record<string, string>) => `(
  select ${timestampText('used_at')} from campaign_mirror.key_uses where access_key_id = ${id})`;

/** The first entry of a move shows the sums of all. */
const detailsOfMove = ({ id, act, details }: Record<string, string>) => `
  case ${act} when 'mirrors-moved' then ${details} || (
    select jsonb_build_object(
      'mirrors', (${details}->>'mirrors')::int + coalesce(sum((part.details->>'mirrors')::int), 0),
      'finished', coalesce(bool_or(part.details->'finished' is not null), false))
    from campaign_mirror.operator_audit as part where part.part_of = ${id}) else ${details} end`;

const id = <Id extends number>() => p.bigint('number').$type<Id>();
const timestamp = () => p.type(TimestampType).$type<domain.Timestamp>();

export const CampaignEntity = defineEntity({
  name: 'Campaign',
  schema,
  tableName: 'campaigns',
  properties: {
    id: id<domain.CampaignId>().primary(),
    ownerId: id<domain.OwnerId>(),
    isDefault: p.boolean(),
    name: p.string().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    mirror: () => p.oneToOne(MirrorEntity).mappedBy('campaign').nullable(),
  },
});

export const MirrorEntity = defineEntity({
  name: 'Mirror',
  schema,
  tableName: 'mirrors',
  properties: {
    id: id<domain.MirrorId>().primary(),
    campaign: () => p.oneToOne(CampaignEntity).hidden(),
    campaignId: id<domain.CampaignId>().persist(false),
    targetUrl: p.text().$type<domain.MirrorAddress>(),
    clicks: p.bigint('number').default(0),
    updatedExternally: p.boolean().default(false),
    updatedExternallyAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});

export const AccessKeyEntity = defineEntity({
  name: 'AccessKey',
  schema,
  tableName: 'access_keys',
  properties: {
    id: id<domain.AccessKeyId>().primary(),
    hash: p.blob().lazy(),
    displayed: p.string(),
    name: p.string(),
    ownerId: id<domain.OwnerId>(),
    hosts: p.array().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    expiresAt: timestamp().nullable(),
    revokedAt: timestamp().nullable(),
    replacedBy: id<domain.AccessKeyId>().nullable(),
    lastUsedAt: timestamp().nullable().formula(lastUse),
  },
});

export const AuditEntity = defineEntity({
  name: 'AuditEntry',
  schema,
  tableName: 'operator_audit',
  properties: {
    id: id<AuditId>().primary(),
    actedAt: timestamp(),
    act: p.text(),
    operator: p.text(),
    databaseRole: p.text().nullable(),
    requestId: p.text(),
    campaignId: id<domain.CampaignId>().nullable(),
    ownerId: id<domain.OwnerId>().nullable(),
    accessKeyId: id<domain.AccessKeyId>().nullable(),
    partOf: id<AuditId>().nullable().hidden(),
    details: p.json().$type<AuditEntry['details']>().formula(detailsOfMove),
  },
});

export const entities = [CampaignEntity, MirrorEntity, AccessKeyEntity, AuditEntity];
