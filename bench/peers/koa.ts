import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { path } from './contract.ts';
import { answer } from './pg.ts';

/** Koa, its router and body parser, and pg. */
const router = new Router();

router.post(path, async (context) => {
  const { campaign = '' } = context.params;
  const { status, body } = await answer(campaign, context.get('authorization'), context.request.body);
  context.status = status;
  context.body = body;
});

new Koa().use(bodyParser()).use(router.routes()).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
