import {
  type Admission,
  accessKey,
  type Caller,
  type CallLimit,
  campaignId,
  isCaller,
  type SetCampaignMirror,
} from '@campaign-mirror/domain';
import { faults, type Reply, replyTo } from '../answers/replies.ts';
import { Capacity } from '../chain/capacity.ts';
import { networkOf } from '../chain/client-address.ts';
import { answer, type Context, type Middleware } from '../chain/context.ts';
import { credentialInHeaders } from '../messages/authorization.ts';
import { submitted } from '../messages/submitted-body.ts';
import { failedKeyLimit, keyLimit, type Limits, withoutLimit } from './limits.ts';
import { bodyReader } from './read-body.ts';

/** What the route needs. */
export interface SetMirrorSettings {
  readonly useCase: SetCampaignMirror;
  /**
   * Whether a bearer credential can be one: any other is refused with 401 before the body is read. By default, whether
   * it is a well-formed access key.
   */
  readonly isWellFormed?: ((credential: string) => boolean) | undefined;
  /**
   * The header whose whole value is the credential, such as one that a gateway sets and signs. By default the credential is the bearer token of `Authorization`.
   */
  readonly credentialHeader?: string | undefined;
  /** The largest body, in bytes; 16,384 by default. */
  readonly bodyLimit?: number | undefined;
  /** How many requests are carried out at once; unlimited by default. */
  readonly capacity?: Capacity | undefined;
  /** Unlimited by default. */
  readonly limits?: Limits | undefined;
}

/** Check 3 of the contract's order: one well-formed credential, from the headers alone; undefined if it was answered. */
function authorization(settings: SetMirrorSettings) {
  const { isWellFormed = (credential) => accessKey(credential) !== undefined, credentialHeader } = settings;
  const header = credentialHeader?.toLowerCase();
  const refuseKey = keyRefusal(settings);
  return async (context: Context): Promise<string | undefined> => {
    const credential = credentialInHeaders(context.req, isWellFormed, header);
    if (typeof credential === 'string') return credential;
    const refusal = faults[credential.fault];
    if (credential.fault === 'invalid-key') await refuseKey(context, refusal);
    else answer(context, refusal);
    return undefined;
  };
}

/**
 * Checks 3 to 10: authorization, the body, and the use case, whose outcome is the answer. One handler, so that the
 * credential is nowhere in the context, which other middleware sees.
 */
export function setMirror(settings: SetMirrorSettings): Middleware {
  const authorize = authorization(settings);
  const readBody = bodyReader(settings.bodyLimit);
  const { useCase, capacity = new Capacity({ inFlight: Number.POSITIVE_INFINITY }), limits } = settings;
  const limitOf = limits?.keys && keyLimit(limits.keys);
  const refuseKey = keyRefusal(settings);
  const lookUps = new LookUps();
  return async (context) => {
    const credential = await authorize(context);
    const body = credential === undefined ? undefined : await readBody(context);
    if (credential === undefined || body === undefined) return;
    const { call } = context.state;
    // As it was sent: the router's parameter is decoded.
    const named = context.path.split('/').at(-2) ?? '';
    const campaign = campaignId(named);
    call.campaign = campaign;
    let claim = await useCase.claimedBy(credential);
    if (claim === undefined && lookUps.has(credential)) {
      await lookUps.end(credential);
      claim = await useCase.claimedBy(credential);
    }
    if (isCaller(claim)) call.subject = claim.subject;
    const place = capacity.place();
    const takenBy = ({ subject }: Caller) => place.take(subject, campaign);
    let overload = isCaller(claim) ? takenBy(claim) : place.take(`address ${networkOf(call.client)}`);
    if (overload) return capacity.refuse(context, overload);
    const lookedUp = claim === undefined ? lookUps.begin(credential) : undefined;
    try {
      const { address, fault } = submitted(body);
      const counted = limitOf?.(context);
      const ofStranger = (): CallLimit => ({
        async admits(caller) {
          lookedUp?.();
          call.subject = caller.subject;
          overload = takenBy(caller);
          if (overload) return notAdmitted;
          return counted ? counted.admits(caller) : admitted;
        },
      });
      const request = { credential, claim, campaign, address, requestId: call.requestId };
      const outcome = await useCase.execute(request, claim ? counted : ofStranger());
      const reply = replyTo(outcome, { campaign: named, fault });
      if (overload) await capacity.refuse(context, overload);
      else if (outcome.kind !== 'unauthenticated') answer(context, reply);
      else {
        withoutLimit(context);
        call.subject = outcome.subject;
        await refuseKey(context, reply);
      }
    } finally {
      lookedUp?.();
      place.leave();
    }
  };
}

/**
 * Credentials that are being looked up. Other requests with one of them wait, and are then known by the claim: as
 * strangers, they would have to share the places of their address.
 */
class LookUps {
  readonly #ends = new Map<string, Promise<void>>();

  has(credential: string): boolean {
    return this.#ends.has(credential);
  }

  async end(credential: string): Promise<void> {
    await this.#ends.get(credential);
  }

  /** Returns what ends it. */
  begin(credential: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ends.set(credential, promise);
    return () => {
      if (this.#ends.get(credential) === promise) this.#ends.delete(credential);
      resolve();
    };
  }
}

const admitted: Admission = { admitted: true, resetIn: 0 };
const notAdmitted: Admission = { admitted: false, resetIn: 0 };

/** The same for all refused keys, whether or not they were looked up, so that callers cannot tell the difference. */
function keyRefusal({ limits }: SetMirrorSettings) {
  const limited = limits?.failedKeys && failedKeyLimit(limits.failedKeys);
  return async (context: Context, refusal: Reply) =>
    answer(context, limited ? await limited(context.state.call.client, refusal) : refusal);
}
