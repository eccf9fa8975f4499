import { accessKey, campaignId, type SetCampaignMirror } from '@campaign-mirror/domain';
import type { Context } from 'koa';
import { methodNotSupported, options, type Replies, type Reply } from '../answers/replies.ts';
import { type Capacity, unlimited } from '../listener/capacity.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { Limiter } from '../listener/limiter.ts';
import { cameAlong } from '../listener/unread-body.ts';
import { credentialInHeaders } from '../messages/authorization.ts';
import { bodyReader } from '../messages/body.ts';
import { submitted } from '../messages/submitted-body.ts';
import { failedKeys } from './failed-keys.ts';
import { keyLimit } from './key-limit.ts';

/** The path as `@koa/router` and other routers write it (contract: the call). */
export const setMirrorPath = '/public/v1/mirror/campaign/:campaign/mirror';
/** The same path as the contract writes it. */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';

export interface SetMirrorSettings {
  readonly useCase: SetCampaignMirror;
  /**
   * Whether a bearer credential can be one: any other is refused with 401 before the body is read. By default, whether
   * it is a well-formed access key.
   */
  readonly isWellFormed?: (credential: string) => boolean;
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

/**
 * Answers the one route (contract: the call), with its checks in the contract's order. The campaign is the last segment
 * of the path but one, wherever the route is mounted.
 */
export function setMirrorHandler(
  settings: SetMirrorSettings,
): (context: Context, exchange: Exchange) => Promise<void> {
  const {
    useCase,
    replies,
    bodyLimit,
    capacity = unlimited(),
    limits,
    isWellFormed = (credential) => accessKey(credential) !== undefined,
  } = settings;
  const limitOf = limits?.keys && keyLimit(limits.keys);
  const answerRefused = limits?.failedKeys && failedKeys(limits.failedKeys, replies);
  // The same for all refused keys, whether or not they were looked up, so that callers cannot tell the difference.
  const refuseKey = async (exchange: Exchange, refusal: Reply, bodyCameAlong: Promise<boolean>) => {
    if (await bodyCameAlong) exchange.bodyRead = true;
    else exchange.closes = true;
    // A key that was revoked in the meantime can have been counted.
    exchange.limitHeaders = undefined;
    return answerRefused ? answerRefused(exchange, refusal) : exchange.answer(refusal);
  };
  const readBody = bodyReader(bodyLimit);
  // One handler for everything: the router composes several handlers again for each request.
  return async (context, exchange) => {
    exchange.route = setMirrorRoute;
    if (context.method === 'OPTIONS') return exchange.answer(options('POST'));
    if (context.method !== 'POST') return exchange.answer(methodNotSupported(context.method, 'POST'));

    const bodyCameAlong = cameAlong(context.req);
    const credential = credentialInHeaders(context.req.rawHeaders, isWellFormed);
    if (typeof credential !== 'string') {
      const refusal = replies.fault(credential.fault);
      return credential.fault === 'invalid-key'
        ? refuseKey(exchange, refusal, bodyCameAlong)
        : exchange.answer(refusal);
    }

    const body = await readBody(context);
    if ('fault' in body) return exchange.answer(replies.fault(body.fault));
    exchange.bodyRead = true;

    const named = context.path.split('/').at(-2) ?? '';
    const campaign = campaignId(named);
    exchange.campaign = campaign;
    const { requestId } = exchange;
    if (!capacity.takeOn()) return exchange.turnAway();
    try {
      const { address, fault } = submitted(body);
      const limit = limitOf?.(exchange);
      const outcome = await useCase.execute({ credential, campaign, address, requestId }, limit);
      const reply = replies.outcome(outcome, { campaign: named, fault, secondsLeft: limit?.secondsLeft });
      if (outcome.kind === 'unauthenticated') await refuseKey(exchange, reply, bodyCameAlong);
      else exchange.answer(reply);
    } finally {
      capacity.letGo();
    }
  };
}
