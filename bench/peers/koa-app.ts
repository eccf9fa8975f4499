import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { type Answer, path } from './contract.ts';

/** Koa with its router and body parser, on 127.0.0.1, at PORT. */
export function serve(
  answer: (campaign: string, authorization: string, body: unknown) => Promise<Answer>,
): void {
  const router = new Router();
  router.post(path, async (context) => {
    const { campaign = '' } = context.params;
    const { status, body } = await answer(campaign, context.get('authorization'), context.request.body);
    context.status = status;
    context.body = body;
  });
  new Koa().use(bodyParser()).use(router.routes()).listen(Number(process.env.PORT), '127.0.0.1');
  process.once('SIGTERM', () => process.exit());
}
