import type { IncomingMessage } from 'node:http';
import type * as domain from '@campaign-mirror/domain';
import { accessKey, campaignId, isCaller, unauthenticated } from '@campaign-mirror/domain';
import type Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import * as v from 'valibot';
import { answer, type Middleware, type ServiceState } from '../chain/calls.ts';
import { conditionIn, credentialIn, isJson } from '../chain/headers.ts';
import { type Fault, faults, type RequestFault, replyTo } from '../chain/replies.ts';
import type { Slots } from '../chain/slots.ts';
import { type CallLimits, keyLimit, limitHeaderNames } from './limits.ts';

type UseCase = Pick<domain.SetCampaignMirror, 'identify' | 'execute'>;

/** What the route needs. */
export interface SetMirrorSettings {
  readonly useCase: UseCase;
  /** Whether a bearer token can be a credential; by default if it is a well-formed access key. */
  readonly isWellFormed?: ((credential: string) => boolean) | undefined;
  /** The largest body, in bytes; 16,384 by default. */
  readonly bodyLimit?: number | undefined;
  readonly slots: Slots;
  /** Unlimited by default. */
  readonly limits?: CallLimits | undefined;
}

/** The route: a part of the chain for each of the checks 3 to 10, in their order. */
export function setMirror(settings: SetMirrorSettings): Middleware[] {
  const { useCase, slots, limits } = settings;
  const rate = limits?.keys ? [keyLimit(limits.keys)] : [];
  const callers = [slot(slots), caller(useCase), share(slots)];
  const parts = [credential(settings), body(settings.bodyLimit), ...callers, ...rate, outcome(useCase)];
  // The first part sets the state of the others.
  return parts as Middleware[];
}

const noBytes = new Uint8Array();

/** What the parts leave for each other. */
interface Asked {
  /** A function, so that nothing shows it that prints the context. */
  readonly credential: () => string;
  /** The identifier of the campaign as it was sent, which the router decodes. */
  readonly segment: string;
  readonly campaign: domain.CampaignId | undefined;
  body: Uint8Array;
  caller?: domain.Caller | undefined;
}

type Part = Koa.Middleware<ServiceState & { asked: Asked }>;

/** Check 3: the credential, from the headers alone. */
function credential({ isWellFormed = isKey }: SetMirrorSettings): Part {
  return (context, next) => {
    const found = credentialIn(context.req, isWellFormed);
    if (typeof found !== 'string') return answer(context, faults[found.fault]);
    const segment = context.path.split('/').at(-2) ?? '';
    context.state.asked = { credential: () => found, segment, campaign: campaignId(segment), body: noBytes };
    return next();
  };
}

const isKey = (text: string) => accessKey(text) !== undefined;

/** Check 4: the type and the size of the body, which is read here. */
function body(limit = 16_384): Part {
  // The parser would take NaN, as the number of a variable that is not set, for no limit.
  if (!(limit >= 0)) throw new TypeError('bodyLimit: not a number of bytes');
  const parse = bodyParser({
    // Without an encoding koa-bodyparser leaves the bytes as they are: its decoding would store another address. Its
    // types do not have the option.
    ...{ encoding: null },
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(limit),
  });
  return async (context, next) => {
    const { req: request } = context;
    const refuse = (because: Fault) => answer(context, faults[because]);
    const length = Number(request.headers['content-length'] ?? 0);
    // A chunked body can still be empty.
    if (length === 0 && request.headers['transfer-encoding'] === undefined) return next();
    if (!isJson(request)) return refuse('unsupported-body');
    // The parser reads a length above 2^31 as another one.
    if (length > limit) return refuse('body-too-large');
    // In this spelling, because the parser accepts no other.
    request.headers['content-type'] = 'application/json';
    delete request.headers['content-encoding'];
    try {
      await parse(context, async () => {});
    } catch (error) {
      // The parser has stopped reading: without this, the connection would wait for somebody to read the rest.
      request.resume();
      const { type } = error as { type?: string };
      if (type === 'entity.too.large') return refuse('body-too-large');
      // The caller left in the middle of its body.
      if (type === 'request.aborted' || type === 'request.size.invalid') return refuse('bad-request');
      throw error;
    }
    const bytes = context.request.body;
    if (!Buffer.isBuffer(bytes)) throw new Error('middleware has read the body');
    context.state.asked.body = bytes;
    await next();
  };
}

/** The slot, before anybody is asked who calls. */
function slot(slots: Slots): Part {
  return (context, next) => {
    context.state.call.campaign = context.state.asked.campaign;
    return slots.hold(context, next);
  };
}

/** Check 5: the caller. */
function caller(useCase: UseCase): Part {
  return async (context, next) => {
    const { asked, call } = context.state;
    const known = await useCase.identify(asked.credential());
    call.subject = known?.subject;
    if (!isCaller(known)) return answer(context, replyTo(unauthenticated(known), asked.segment));
    asked.caller = known;
    await next();
  };
}

/** The share of the caller's owner. */
function share(slots: Slots): Part {
  return (context, next) => slots.share(context, context.state.asked.caller?.ownerId ?? 0, next);
}

/** Checks 7 to 10: the use case. The body is parsed only now, and only for a campaign that can exist. */
function outcome(useCase: UseCase): Part {
  return async (context) => {
    // The call was cut short, or answered for middleware that does not await `next()`.
    if (context.res.headersSent) return;
    const { asked, call } = context.state;
    const { caller, campaign } = asked;
    const bytes = campaign === undefined ? noBytes : asked.body;
    const { address, lastChange, fault } = submitted(context.req, bytes);
    const request = {
      credential: asked.credential(),
      caller,
      campaign,
      address,
      requestId: call.requestId,
      lastChange,
    };
    const outcome = await useCase.execute(request);
    if (outcome.kind === 'unauthenticated') {
      call.subject = outcome.subject;
      // A key that was counted before it was found to be invalid.
      for (const name of limitHeaderNames) context.remove(name);
    }
    answer(context, replyTo(outcome, asked.segment, fault));
  };
}

/** The request body (contract: the call). Other keys are ignored. The message of an issue is the name of a fault. */
const requestBody = v.object(
  {
    mirror_endpoint: v.pipe(
      v.nonNullish(v.unknown(), 'required' satisfies RequestFault),
      v.string('not-a-string' satisfies RequestFault),
      v.check((text) => text.trim() !== '', 'required' satisfies RequestFault),
    ),
  },
  'required' satisfies RequestFault,
);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The condition and the address, or why there is none. A leading byte order mark is not part of the body. */
function submitted(
  request: IncomingMessage,
  bytes: Uint8Array,
): ReturnType<typeof conditionIn> & { address?: string } {
  const condition = conditionIn(request);
  if (condition.fault) return condition;
  if (bytes.length === 0) return { fault: 'required' };
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return { fault: 'not-json' };
  }
  const parsed = v.safeParse(requestBody, value, { abortEarly: true, abortPipeEarly: true });
  if (parsed.success) return { ...condition, address: parsed.output.mirror_endpoint };
  return { fault: parsed.issues[0].message as RequestFault };
}
