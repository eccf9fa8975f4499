import { type AccessKey, campaignId, type SetCampaignMirror } from '@campaign-mirror/domain';
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import bodyParser from 'koa-bodyparser';
import { keyInHeaders } from './authorization.ts';
import { announcesBody, bodyHeaderFault, expectsContinue } from './body-headers.ts';
import type { Exchange } from './exchange.ts';
import { methodNotSupported, options, type Replies } from './replies.ts';
import { submitted } from './submitted-body.ts';

export const setMirrorPath = '/public/v1/mirror/campaign/:campaign/mirror';
/** The same as the specification writes it. */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';

const campaignSegment = setMirrorPath.split('/').indexOf(':campaign');

/** What the route's steps hand on to each other. */
export interface RouteState {
  exchange: Exchange;
  key: AccessKey;
}

export interface SetMirrorSettings {
  readonly useCase: SetCampaignMirror;
  readonly replies: Replies;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
}

/** The one route (specification, section 4), its checks in the order of the decisions. */
export function setMirrorRouter({ useCase, replies, bodyLimit }: SetMirrorSettings): Router<RouteState> {
  // Without an encoding koa-bodyparser leaves the bytes as they are: its decoding would store another address.
  const bytes = { encoding: null };
  const readBytes = bodyParser({
    ...bytes,
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(bodyLimit),
  });

  async function checkKey(context: Context, next: Next) {
    const { exchange } = context.state as RouteState;
    const key = keyInHeaders(context.req.rawHeaders);
    if (typeof key !== 'string') return exchange.answer(replies.fault(key.fault));
    context.state.key = key;
    return next();
  }

  async function readBody(context: Context, next: Next) {
    const { exchange } = context.state as RouteState;
    if (announcesBody(context.req)) {
      const fault = bodyHeaderFault(context.req, bodyLimit);
      if (fault) return exchange.answer(replies.fault(fault));
      // Judged already; in this form no parameter or spelling keeps the parser from reading.
      context.req.headers['content-type'] = 'application/json';
      delete context.req.headers['content-encoding'];
      if (expectsContinue(context.req)) context.res.writeContinue();
      try {
        await readBytes(context, async () => {});
      } catch (error) {
        if ((error as { type?: string }).type === 'entity.too.large') {
          return exchange.answer(replies.fault('body-too-large'));
        }
        // The caller left in the middle of its body.
        return exchange.answer(replies.fault('bad-request'));
      }
      exchange.bodyRead = true;
    }
    return next();
  }

  async function setMirror(context: Context) {
    const { exchange, key } = context.state as RouteState;
    const named = context.path.split('/')[campaignSegment] ?? '';
    const campaign = campaignId(named);
    exchange.campaign = campaign;
    const body = context.request.body;
    const outcome = await useCase.execute({
      key,
      campaign,
      submitted: submitted(Buffer.isBuffer(body) ? body : Buffer.alloc(0)),
      requestId: exchange.requestId,
    });
    exchange.answer(replies.outcome(outcome, named));
  }

  const router = new Router<RouteState>({ sensitive: true, strict: true });
  router.use(async (context, next) => {
    context.state.exchange.route = setMirrorRoute;
    await next();
  });
  router.post(setMirrorPath, checkKey, readBody, setMirror);
  router.options(setMirrorPath, ({ state }) => state.exchange.answer(options('POST')));
  router.all(setMirrorPath, ({ state, method }) => state.exchange.answer(methodNotSupported(method, 'POST')));
  return router;
}
