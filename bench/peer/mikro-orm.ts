import { hash } from 'node:crypto';
import Router from '@koa/router';
import { defineEntity, p } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';

/** Koa, and MikroORM as its documentation shows it. It keeps no history and no log, and locks nothing. */
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

async function answer(campaignId: string, key: string, address: unknown): Promise<[status: number, object]> {
  const em = orm.em.fork();
  const valid = { revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] };
  const caller = await em.findOne(AccessKey, { hash: hash('sha256', key, 'buffer'), ...valid });
  if (!caller) return [401, { message: 'Unauthenticated.' }];
  const isNumber = /^[1-9][0-9]{0,15}$/.test(campaignId);
  const campaign = isNumber && (await em.findOne(Campaign, { id: campaignId }, { populate: ['mirror'] }));
  if (!campaign) return [404, { message: `No query results for ${campaignId}` }];
  const { mirror, ownerId, isDefault } = campaign;
  if (!mirror || isDefault || ownerId !== caller.ownerId)
    return [403, { message: 'This action is unauthorized.' }];
  if (typeof address !== 'string' || !URL.canParse(address))
    return [422, { message: 'The mirror endpoint field must be a valid URL.' }];
  em.assign(mirror, { targetUrl: address, updatedExternally: true, updatedExternallyAt: new Date() });
  await em.flush();
  const answered = {
    id: Number(mirror.id),
    campaign_id: Number(campaign.id),
    target_url: mirror.targetUrl,
    clicks: Number(mirror.clicks),
    updated_externally: mirror.updatedExternally,
    updated_externally_at: mirror.updatedExternallyAt,
    created_at: mirror.createdAt,
    updated_at: mirror.updatedAt,
  };
  return [200, { mirror: answered }];
}

const router = new Router();
router.post('/public/v1/mirror/campaign/:campaign/mirror', async (context) => {
  const key = /^Bearer (\S+)$/i.exec(context.get('authorization'))?.[1] ?? '';
  const { mirror_endpoint } = context.request.body as { mirror_endpoint?: unknown };
  [context.status, context.body] = await answer(context.params.campaign ?? '', key, mirror_endpoint);
});
new Koa().use(bodyParser()).use(router.routes()).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
