import { schema } from '@campaign-mirror/adapters-persistence';
import type * as domain from '@campaign-mirror/domain';
import { defineEntity, MikroORM, p, Type } from '@mikro-orm/postgresql';

/** `timestamptz(6)` as text, because a `Date` has no microseconds. */
class TimestampType extends Type<domain.Timestamp, string> {
  override getColumnType = () => 'timestamptz(6)';
  override compareAsType = () => 'string';
  override convertToJSValueSQL = (column: string) => timestampText(column);
  // Otherwise MikroORM reads the column as a `Date`.
  override get runtimeType() {
    return 'string';
  }
}

export const timestampText = (time: string) =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const id = <Id extends number>() => p.bigint('number').$type<Id>();
const timestamp = () => p.type(TimestampType).$type<domain.Timestamp>();

/** The application's own campaigns: the rules judge the first three properties, and whether there is a mirror. */
export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  properties: {
    id: id<domain.CampaignId>().primary(),
    ownerId: id<domain.OwnerId>(),
    isDefault: p.boolean().default(false),
    title: p.text(),
    dailyBudget: p.integer().default(0),
    mirror: () => p.oneToOne(Mirror).mappedBy('campaign').nullable(),
  },
});

export const Mirror = defineEntity({
  name: 'Mirror',
  tableName: 'mirrors',
  properties: {
    id: id<domain.MirrorId>().primary(),
    campaign: () => p.oneToOne(Campaign).deleteRule('cascade'),
    targetUrl: p.text().$type<domain.MirrorAddress>(),
    clicks: p.bigint('number').default(0),
    updatedExternallyAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
    updatedAt: timestamp().defaultRaw('clock_timestamp()'),
  },
});

/** It has no foreign keys, because it stays when the campaign is deleted. */
export const Change = defineEntity({
  name: 'Change',
  tableName: 'mirror_changes',
  properties: {
    id: id<domain.HistoryId>().primary(),
    campaignId: id<domain.CampaignId>().index(),
    mirrorId: id<domain.MirrorId>(),
    subject: p.text().$type<domain.Subject>(),
    ownerId: id<domain.OwnerId>(),
    addressBefore: p.text().$type<domain.MirrorAddress>(),
    addressAfter: p.text().$type<domain.MirrorAddress>(),
    changedAt: timestamp(),
    requestId: p.text(),
  },
});

/** The credential of a customer's script. */
export const Token = defineEntity({
  name: 'Token',
  tableName: 'tokens',
  properties: { hash: p.text().primary(), ownerId: id<domain.OwnerId>(), name: p.text() },
});

export async function openOrm(clientUrl: string): Promise<MikroORM> {
  const orm = new MikroORM({
    clientUrl,
    entities: [Campaign, Mirror, Change, Token],
    // Without this, a schema of Campaign Mirror in the same database would be dropped.
    schemaGenerator: { ignoreSchema: [schema] },
    ensureDatabase: false,
  });
  const pool = await orm.em.getConnection().getNativeClient();
  pool.on('connect', (client) => {
    // MikroORM does not release a connection that is lost within a transaction. In time, the pool would be empty.
    client.once('end', () => setImmediate(() => release(client)));
  });
  return orm;
}

function release(client: { release(destroy: boolean): void }): void {
  try {
    client.release(true);
  } catch {
    // MikroORM has released it.
  }
}
