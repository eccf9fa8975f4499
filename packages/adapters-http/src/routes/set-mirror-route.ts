import { campaignId, type SetCampaignMirror } from '@campaign-mirror/domain';
import Router from '@koa/router';
import { methodNotSupported, options, type Replies, type Reply } from '../answers/replies.ts';
import { type Capacity, unlimited } from '../listener/capacity.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { Limiter } from '../listener/limiter.ts';
import { cameAlong } from '../listener/unread-body.ts';
import { keyInHeaders } from '../messages/authorization.ts';
import { bodyReader } from '../messages/body.ts';
import { submitted } from '../messages/submitted-body.ts';
import { FailedKeys } from './failed-keys.ts';
import { KeyLimit } from './key-limit.ts';

export const setMirrorPath = '/public/v1/mirror/campaign/:campaign/mirror';
/** The same path as the contract writes it. */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';

const campaignSegment = setMirrorPath.split('/').indexOf(':campaign');

export interface RouteState {
  exchange: Exchange;
}

export interface SetMirrorSettings {
  readonly useCase: SetCampaignMirror;
  readonly replies: Replies;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** How many requests are carried out at once; unlimited by default. */
  readonly capacity?: Capacity;
  /** How often callers may call; unlimited by default. */
  readonly limits?: {
    /** for each valid key */
    readonly keys?: Limiter;
    /** for refused keys, by the address that sends them */
    readonly failedKeys?: Limiter;
  };
}

/** The one route (contract: the call), with its checks in the contract's order. */
export function setMirrorRouter(settings: SetMirrorSettings): Router<RouteState> {
  const { useCase, replies, bodyLimit, capacity = unlimited(), limits } = settings;
  const keyLimit = limits?.keys && new KeyLimit(limits.keys);
  const failedKeys = limits?.failedKeys && new FailedKeys(limits.failedKeys, replies);
  // The same for all refused keys, whether or not they were looked up, so that callers cannot tell the difference.
  const refuseKey = async (exchange: Exchange, refusal: Reply, bodyCameAlong: Promise<boolean>) => {
    if (await bodyCameAlong) exchange.bodyRead = true;
    else exchange.closes = true;
    // A key that was revoked in the meantime can have been counted.
    exchange.limitHeaders = undefined;
    return failedKeys ? failedKeys.answer(exchange, refusal) : exchange.answer(refusal);
  };
  const readBody = bodyReader(bodyLimit);
  const router = new Router<RouteState>({ sensitive: true, strict: true });
  // One handler for everything: the router composes several handlers again for each request.
  router.all(setMirrorPath, async (context) => {
    const { exchange } = context.state;
    exchange.route = setMirrorRoute;
    if (context.method === 'OPTIONS') return exchange.answer(options('POST'));
    if (context.method !== 'POST') return exchange.answer(methodNotSupported(context.method, 'POST'));

    const bodyCameAlong = cameAlong(context.req);
    const key = keyInHeaders(context.req.rawHeaders);
    if (typeof key !== 'string') {
      const refusal = replies.fault(key.fault);
      return key.fault === 'invalid-key'
        ? refuseKey(exchange, refusal, bodyCameAlong)
        : exchange.answer(refusal);
    }

    const body = await readBody(context);
    if ('fault' in body) return exchange.answer(replies.fault(body.fault));
    exchange.bodyRead = true;

    const named = context.path.split('/')[campaignSegment] ?? '';
    const campaign = campaignId(named);
    exchange.campaign = campaign;
    const { requestId } = exchange;
    if (!capacity.takeOn()) return exchange.turnAway();
    try {
      const { address, fault } = submitted(body);
      const limit = keyLimit?.of(exchange);
      const outcome = await useCase.execute({ key, campaign, address, requestId }, limit);
      const reply = replies.outcome(outcome, { campaign: named, fault, secondsLeft: limit?.secondsLeft });
      if (outcome.kind === 'unauthenticated') await refuseKey(exchange, reply, bodyCameAlong);
      else exchange.answer(reply);
    } finally {
      capacity.letGo();
    }
  });
  return router;
}
