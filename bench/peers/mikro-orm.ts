import { defineEntity, p } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import {
  type Answer,
  addressIn,
  keyHash,
  mayChange,
  missing,
  unauthenticated,
  unauthorized,
} from './contract.ts';
import { serve } from './koa-app.ts';

/** Koa, and MikroORM as its documentation shows it. */
const schema = 'campaign_mirror';

const AccessKey = defineEntity({
  name: 'AccessKey',
  schema,
  tableName: 'access_keys',
  properties: {
    id: p.bigint('string').primary(),
    hash: p.blob(),
    ownerId: p.bigint('string'),
    expiresAt: p.datetime(6).nullable(),
    revokedAt: p.datetime(6).nullable(),
  },
});

const Campaign = defineEntity({
  name: 'Campaign',
  schema,
  tableName: 'campaigns',
  properties: {
    id: p.bigint('string').primary(),
    ownerId: p.bigint('string'),
    isDefault: p.boolean(),
    mirror: () => p.oneToOne(Mirror).mappedBy('campaign').nullable(),
  },
});

const Mirror = defineEntity({
  name: 'Mirror',
  schema,
  tableName: 'mirrors',
  properties: {
    id: p.bigint('string').primary(),
    campaign: () => p.oneToOne(Campaign).owner(),
    targetUrl: p.text(),
    clicks: p.bigint('string'),
    updatedExternally: p.boolean(),
    updatedExternallyAt: p.datetime(6).nullable(),
    createdAt: p.datetime(6),
    updatedAt: p.datetime(6).onUpdate(() => new Date()),
  },
});

const orm = await MikroORM.init({
  entities: [AccessKey, Campaign, Mirror],
  clientUrl: process.env.DATABASE_URL ?? '',
  pool: { max: 10 },
});

async function answer(campaignId: string, authorization: string, body: unknown): Promise<Answer> {
  const em = orm.em.fork();
  const hash = keyHash(authorization);
  if (!hash) return unauthenticated;
  const valid = { revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] };
  const caller = await em.findOne(AccessKey, { hash, ...valid });
  if (!caller) return unauthenticated;
  if (!/^[1-9][0-9]{0,15}$/.test(campaignId)) return missing(campaignId);
  const campaign = await em.findOne(Campaign, { id: campaignId }, { populate: ['mirror'] });
  if (!campaign) return missing(campaignId);
  const { mirror, ownerId, isDefault } = campaign;
  if (!mirror || !mayChange(caller, { ownerId, isDefault, hasMirror: true })) return unauthorized;
  const address = addressIn(body);
  if (typeof address !== 'string') return address;
  em.assign(mirror, { targetUrl: address, updatedExternally: true, updatedExternallyAt: new Date() });
  await em.flush();
  return {
    status: 200,
    body: {
      mirror: {
        id: Number(mirror.id),
        campaign_id: Number(campaign.id),
        target_url: mirror.targetUrl,
        clicks: Number(mirror.clicks),
        updated_externally: mirror.updatedExternally,
        updated_externally_at: timestamp(mirror.updatedExternallyAt),
        created_at: timestamp(mirror.createdAt),
        updated_at: timestamp(mirror.updatedAt),
      },
    },
  };
}

/** A `Date` ends with the milliseconds. */
function timestamp(date: Date | null | undefined): string | null {
  return date ? date.toISOString().replace('Z', '000Z') : null;
}

serve(answer);
