import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type * as domain from '@campaign-mirror/domain';
import { subject } from '@campaign-mirror/domain';
import type { CampaignRepositoryWorld, IdentityWorld, Steps } from '@campaign-mirror/port-contracts';
import { type MikroORM, wrap } from '@mikro-orm/postgresql';
import { tokens } from './application.ts';
import { answered, OrmCampaigns } from './campaigns.ts';
import { Campaign, Change, Mirror, Token } from './entities.ts';

/** The adapters, the acts of others on their store, and its content. */
export async function worldsOf(orm: MikroORM): Promise<{
  campaigns: CampaignRepositoryWorld;
  identity: IdentityWorld;
}> {
  const em = () => orm.em.fork();
  const steps = await stepsOf(orm);
  return {
    campaigns: {
      campaigns: new OrmCampaigns(orm),
      others: {
        createCampaign: async (ownerId) =>
          Number(await em().insert(Campaign, { ownerId, title: 'shoes' })) as domain.CampaignId,
        createMirror: (campaign, targetUrl, clicks) => em().insert(Mirror, { campaign, targetUrl, clicks }),
        transfer: (id, ownerId) => em().nativeUpdate(Campaign, { id }, { ownerId }),
        setDefault: (id, isDefault) => em().nativeUpdate(Campaign, { id }, { isDefault }),
        deleteMirror: (campaign) => em().nativeDelete(Mirror, { campaign }),
        deleteCampaign: (id) => em().nativeDelete(Campaign, { id }),
        countClick: (id) =>
          em().execute('update mirrors set clicks = clicks + 1 where campaign_id = ?', [id]),
        setUpdatedAt: (campaign, updatedAt) => em().nativeUpdate(Mirror, { campaign }, { updatedAt }),
        mirror: async (campaign) => {
          const mirror = await em().findOne(Mirror, { campaign });
          return mirror ? answered(mirror) : undefined;
        },
        history: async (campaignId) => {
          const changes = await em().find(Change, { campaignId }, { orderBy: { id: 'asc' } });
          return changes.map((change) => wrap(change).toObject() as domain.HistoryEntry);
        },
      },
      steps,
    },
    identity: {
      identity: tokens(orm),
      issue: async (ownerId) => {
        const [credential, name] = [randomUUID(), randomUUID()];
        await em().insert(Token, { hash: hash('sha256', credential), ownerId, name });
        return { credential, caller: { ownerId, subject: subject.of('token', name) } };
      },
      unknown: () => randomUUID(),
      issueUnknown: (ownerId, credential) =>
        em().insert(Token, { hash: hash('sha256', credential), ownerId, name: randomUUID() }),
      revoke: (credential) => em().nativeDelete(Token, { hash: hash('sha256', credential) }),
      steps,
    },
  };
}

/** Each statement is a step. A statement that fails, or whose answer is lost, ends its connection. */
async function stepsOf(orm: MikroORM): Promise<Steps> {
  let ahead: Parameters<Steps>[1] | undefined;
  let step = -1;
  const pool = await orm.em.getConnection().getNativeClient();
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...words: unknown[]) => unknown;
    const stepped = async (...words: unknown[]) => {
      step += 1;
      const how = await ahead?.(step);
      const end = () => Reflect.get(client, 'connection').stream.destroy();
      if (how === 'break') end();
      const answer = await query(...words);
      if (how !== 'lose') return answer;
      const ended = once(client, 'end');
      end();
      await ended;
      throw new Error('Connection terminated unexpectedly');
    };
    Object.assign(client, { query: stepped });
  });
  return (call, before) => {
    [step, ahead] = [-1, before];
    return call().finally(() => {
      ahead = undefined;
    });
  };
}
