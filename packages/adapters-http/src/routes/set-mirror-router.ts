import { METHODS } from 'node:http';
import { accessKey, campaignId, type SetCampaignMirror } from '@campaign-mirror/domain';
import Router from '@koa/router';
import { faults, methodNotSupported, options, type Reply, replyTo } from '../answers/replies.ts';
import { answer } from '../chain/answer.ts';
import { type Capacity, unlimited } from '../chain/capacity.ts';
import type { Context, Middleware, ServiceState } from '../chain/context.ts';
import { credentialInHeaders } from '../messages/authorization.ts';
import { bodyReader } from '../messages/body.ts';
import { submitted } from '../messages/submitted-body.ts';
import { failedKeyLimit, keyLimit, type Limits } from './limits.ts';

/** The path as `@koa/router` and other routers write it (contract: the call). */
export const setMirrorPath = '/public/v1/mirror/campaign/:campaign/mirror';
/** The same path as the contract writes it. */
export const setMirrorRoute = '/public/v1/mirror/campaign/{campaign}/mirror';

/** Case and trailing slashes matter (contract: the path). */
export const exactPaths = { sensitive: true, strict: true };

/** What the route needs. */
export interface SetMirrorSettings {
  readonly useCase: SetCampaignMirror;
  /**
   * Whether a bearer credential can be one: any other is refused with 401 before the body is read. By default, whether
   * it is a well-formed access key.
   */
  readonly isWellFormed?: ((credential: string) => boolean) | undefined;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** How many requests are carried out at once; unlimited by default. */
  readonly capacity?: Capacity | undefined;
  /** Unlimited by default. */
  readonly limits?: Limits | undefined;
}

/** The one route (contract: the call). */
export function setMirrorRoutes(settings: SetMirrorSettings): Router<ServiceState> {
  const router = new Router<ServiceState>(exactPaths).post(setMirrorPath, setMirror(settings));
  // Not `all`, which would take part in the call, too.
  router.register(
    setMirrorPath,
    METHODS.filter((method) => method !== 'POST'),
    otherMethods,
  );
  return router;
}

const otherMethods: Middleware = (context) => {
  const { method, state } = context;
  state.call.route = setMirrorRoute;
  answer(context, method === 'OPTIONS' ? options('POST') : methodNotSupported(method, 'POST'));
};

/** The checks of the contract from the authorization header on, in their order. */
function setMirror(settings: SetMirrorSettings): Middleware {
  const {
    useCase,
    bodyLimit,
    capacity = unlimited(),
    limits = {},
    isWellFormed = (credential) => accessKey(credential) !== undefined,
  } = settings;
  const limitOf = limits.keys && keyLimit(limits.keys);
  // The same for all refused keys, whether or not they were looked up, so that callers cannot tell the difference.
  const limited = limits.failedKeys && failedKeyLimit(limits.failedKeys);
  const refuseKey = async (context: Context, refusal: Reply) =>
    answer(context, limited ? await limited(context.state.call.client, refusal) : refusal);
  const readBody = bodyReader(bodyLimit);

  return async (context) => {
    const { call } = context.state;
    call.route = setMirrorRoute;
    const credential = credentialInHeaders(context.req.rawHeaders, isWellFormed);
    if (typeof credential !== 'string') {
      const refusal = faults[credential.fault];
      return credential.fault === 'invalid-key' ? refuseKey(context, refusal) : answer(context, refusal);
    }

    const body = await readBody(context);
    if ('fault' in body) return answer(context, faults[body.fault]);

    // As it was sent: the router's parameter is decoded.
    const named = context.path.split('/').at(-2) ?? '';
    call.campaign = campaignId(named);
    await capacity.carryOut(context, async () => {
      const { address, fault } = submitted(body);
      const limit = limitOf?.(context);
      const { campaign, requestId } = call;
      const outcome = await useCase.execute({ credential, campaign, address, requestId }, limit);
      const reply = replyTo(outcome, { campaign: named, fault, secondsLeft: limit?.secondsLeft });
      await (outcome.kind === 'unauthenticated' ? refuseKey(context, reply) : answer(context, reply));
    });
  };
}
