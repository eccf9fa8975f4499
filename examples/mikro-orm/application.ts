import { hash } from 'node:crypto';
import { setMirrorRouter } from '@campaign-mirror/adapters-http';
import { type Identity, SetCampaignMirror, type Subject, subject } from '@campaign-mirror/domain';
import type { MikroORM } from '@mikro-orm/postgresql';
import Koa from 'koa';
import { answering, OrmCampaigns } from './campaigns.ts';
import { Campaign, Token } from './entities.ts';

/** The application's own tokens. */
export function tokens(orm: MikroORM): Identity {
  return {
    whoIs: (credential) =>
      answering(async () => {
        const token = await orm.em.fork().findOne(Token, { hash: hash('sha256', credential) });
        return token
          ? { ownerId: token.ownerId, subject: subject('token', token.name) as Subject }
          : undefined;
      }),
  };
}

export function application(orm: MikroORM): Koa {
  const useCase = new SetCampaignMirror(new OrmCampaigns(orm), tokens(orm));
  // What is behind a 503 or a 500 is an `error` event of the application.
  const koa = new Koa();
  koa.use(setMirrorRouter({ useCase, isWellFormed: (credential) => credential.length < 100 }).routes());
  koa.use(async (context) => {
    if (context.path === '/campaigns')
      context.body = await orm.em.fork().findAll(Campaign, { populate: ['mirror'], orderBy: { id: 'asc' } });
  });
  return koa;
}
