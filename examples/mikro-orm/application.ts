import { hash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { application, Calls, Slots } from '@campaign-mirror/adapters-http';
import { type Identity, SetCampaignMirror, subject } from '@campaign-mirror/domain';
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
        return token ? { ownerId: token.ownerId, subject: subject.of('token', token.name) } : undefined;
      }),
  };
}

/** The application's own routes and the call. */
export function listener(orm: MikroORM): RequestListener {
  const mirror = application({
    useCase: new SetCampaignMirror(new OrmCampaigns(orm), tokens(orm)),
    isWellFormed: (credential) => credential.length < 100,
    // Without a log, Koa prints the errors behind a 503 or a 500.
    calls: new Calls(),
    slots: new Slots(64),
  });
  const own = new Koa().use(async (context) => {
    if (context.path === '/campaigns')
      context.body = await orm.em.fork().findAll(Campaign, { populate: ['mirror'], orderBy: { id: 'asc' } });
  });
  const [answerCall, answerOthers] = [mirror.callback(), own.callback()];
  return (request, response) => {
    const isCall = request.url?.startsWith('/public/v1/mirror/');
    void (isCall ? answerCall(request, response) : answerOthers(request, response));
  };
}
