import { campaignId, type SetCampaignMirror } from '@campaign-mirror/domain';
import Router from '@koa/router';
import { keyInHeaders } from './authorization.ts';
import { bodyReader } from './body.ts';
import { type Capacity, unlimited } from './capacity.ts';
import type { Exchange } from './exchange.ts';
import { methodNotSupported, options, type Replies } from './replies.ts';
import { submitted } from './submitted-body.ts';

export const setMirrorPath = '/public/v1/mirror/campaign/:campaign/mirror';
/** The same as the specification writes it. */
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
  /** How many are carried out at once; without it, all that are asked for. */
  readonly capacity?: Capacity;
}

/** The one route (specification, section 4), its checks in the order of the decisions. */
export function setMirrorRouter(settings: SetMirrorSettings): Router<RouteState> {
  const { useCase, replies, bodyLimit, capacity = unlimited() } = settings;
  const readBody = bodyReader(bodyLimit);
  const router = new Router<RouteState>({ sensitive: true, strict: true });
  // One handler for all of it: the router puts those that it finds together anew for each request.
  router.all(setMirrorPath, async (context) => {
    const { exchange } = context.state;
    exchange.route = setMirrorRoute;
    if (context.method === 'OPTIONS') return exchange.answer(options('POST'));
    if (context.method !== 'POST') return exchange.answer(methodNotSupported(context.method, 'POST'));

    const key = keyInHeaders(context.req.rawHeaders);
    if (typeof key !== 'string') return exchange.answer(replies.fault(key.fault));

    const body = await readBody(context);
    if ('fault' in body) return exchange.answer(replies.fault(body.fault));
    exchange.bodyRead = true;

    const named = context.path.split('/')[campaignSegment] ?? '';
    const campaign = campaignId(named);
    exchange.campaign = campaign;
    const { requestId } = exchange;
    if (!capacity.takeOn()) return exchange.turnAway(replies.fault('unavailable'));
    try {
      const outcome = await useCase.execute({ key, campaign, submitted: submitted(body), requestId });
      exchange.answer(replies.outcome(outcome, named));
    } finally {
      capacity.letGo();
    }
  });
  return router;
}
