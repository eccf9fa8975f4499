import type { IncomingMessage } from 'node:http';
import {
  type Admission,
  accessKey,
  type CallLimit,
  campaignId,
  isCaller,
  type SetCampaignMirror,
} from '@campaign-mirror/domain';
import { parse as mediaType } from 'content-type';
import bodyParser from 'koa-bodyparser';
import * as v from 'valibot';
import { answer, type Context, type Middleware } from '../chain/calls.ts';
import { Capacity, type Holder } from '../chain/capacity.ts';
import { networkOf } from '../chain/client-address.ts';
import { type BodyFault, type Fault, faults, replyTo } from '../chain/replies.ts';
import { type CallLimits, keyLimit, keyRefusal, withoutLimit } from './limits.ts';

/** What the route needs. */
export interface SetMirrorSettings {
  readonly useCase: SetCampaignMirror;
  /**
   * Whether a bearer credential can be one: any other is refused with 401 before the body is read. By default, whether
   * it is a well-formed access key.
   */
  readonly isWellFormed?: ((credential: string) => boolean) | undefined;
  /**
   * The header whose whole value is the credential, such as one that a gateway sets and signs. By
   * default the credential is the bearer token of `Authorization`.
   */
  readonly credentialHeader?: string | undefined;
  /** The largest body, in bytes; 16,384 by default. */
  readonly bodyLimit?: number | undefined;
  /** How many requests are carried out at once; unlimited by default. */
  readonly capacity?: Capacity | undefined;
  /** Unlimited by default. */
  readonly limits?: CallLimits | undefined;
}

/**
 * Checks 3 to 10: authorization, the body, and the use case, whose outcome is the answer. One handler, so that the
 * credential is nowhere in the context, which other middleware sees.
 */
export function setMirror(settings: SetMirrorSettings): Middleware {
  const { useCase, capacity = new Capacity({ inFlight: Number.POSITIVE_INFINITY }), limits } = settings;
  const { isWellFormed = (credential) => accessKey(credential) !== undefined } = settings;
  const header = settings.credentialHeader?.toLowerCase();
  const readBody = bodyReader(settings.bodyLimit);
  const limitOf = limits?.keys && keyLimit(limits.keys);
  const refuseKey = keyRefusal(limits?.failedKeys);
  /** The credentials that are being looked up, and the ends of their look-ups. */
  const lookUps = new Map<string, Promise<void>>();
  return async (context) => {
    const credential = credentialInHeaders(context.req, isWellFormed, header);
    if (typeof credential !== 'string') {
      const refusal = faults[credential.fault];
      return credential.fault === 'invalid-key' ? refuseKey(context, refusal) : answer(context, refusal);
    }
    const body = await readBody(context);
    if (body === undefined) return;
    const { call } = context.state;
    // The identifier as it was sent: the router's parameter is decoded.
    const segment = context.path.split('/').at(-2) ?? '';
    const campaign = campaignId(segment);
    call.campaign = campaign;
    let claim = await useCase.claimedBy(credential);
    const underWay = claim === undefined ? lookUps.get(credential) : undefined;
    if (underWay) {
      // As strangers, requests with the same credential would have to share the places of their network.
      await underWay;
      claim = await useCase.claimedBy(credential);
    }
    if (isCaller(claim)) call.subject = claim.subject;
    let holder: Holder = isCaller(claim)
      ? { caller: claim.subject, campaign }
      : { caller: `address ${networkOf(call.client)}` };
    let overload = capacity.take(holder);
    if (overload) return capacity.refuse(context, overload);
    const lookedUp = claim === undefined ? begun(lookUps, credential) : undefined;
    try {
      const { address, fault } = submitted(body);
      const counted = limitOf?.(context);
      const ofStranger: CallLimit = {
        async admits(caller) {
          lookedUp?.();
          call.subject = caller.subject;
          capacity.leave(holder);
          holder = { caller: caller.subject, campaign };
          overload = capacity.take(holder);
          if (overload) return notAdmitted;
          return counted ? counted.admits(caller) : admitted;
        },
      };
      const request = { credential, claim, campaign, address, requestId: call.requestId };
      const outcome = await useCase.execute(request, claim ? counted : ofStranger);
      const reply = replyTo(outcome, segment, fault);
      if (overload) await capacity.refuse(context, overload);
      else if (outcome.kind !== 'unauthenticated') answer(context, reply);
      else {
        withoutLimit(context);
        call.subject = outcome.subject;
        await refuseKey(context, reply);
      }
    } finally {
      lookedUp?.();
      capacity.leave(holder);
    }
  };
}

/** Begins a look-up. Returns the function that ends it. */
function begun(lookUps: Map<string, Promise<void>>, credential: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  lookUps.set(credential, promise);
  return () => {
    if (lookUps.get(credential) === promise) lookUps.delete(credential);
    resolve();
  };
}

const admitted: Admission = { admitted: true, resetIn: 0 };
const notAdmitted: Admission = { admitted: false, resetIn: 0 };

/** The scheme in any case, then one or more spaces and what follows them, if anything does (RFC 6750, section 2.1). */
const bearer = /^bearer(?: +|$)(.*)$/i;

/**
 * The credential that the headers carry, or why there is none (contract: order of checks, 3): the bearer token, or the
 * whole value of `header`, which is in lower case.
 */
function credentialInHeaders(
  request: IncomingMessage,
  isWellFormed: (credential: string) => boolean,
  header?: string,
): string | { fault: Fault } {
  const credentials = headerValues(request, header ?? 'authorization');
  if (credentials.length > 1) return { fault: 'repeated-authorization' };
  const [value] = credentials;
  const credential = header === undefined ? bearer.exec(value ?? '')?.[1] : value;
  if (credential === undefined) return { fault: 'no-key' };
  return isWellFormed(credential) ? credential : { fault: 'invalid-key' };
}

/**
 * Every value of a header; `name` is in lower case. From the raw headers, name and value in turn, because
 * `headers.authorization` hides a second one. A request that was made of a gateway's event has no raw headers.
 */
export function headerValues({ rawHeaders, headers }: IncomingMessage, name: string): string[] {
  if (rawHeaders.length === 0) return [headers[name] ?? []].flat();
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] ?? '';
    if (header.length === name.length && header.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

/** The elements of a header, in lower case, without empty ones (RFC 9110, section 5.6.1). */
export function listed(value: string | undefined): string[] {
  if (value === undefined) return [];
  return value
    .split(',')
    .map((element) => element.trim().toLowerCase())
    .filter((element) => element !== '');
}

/** Check 4: the body's type and size. Returns the bytes as they were sent; undefined if the request was answered. */
function bodyReader(limit = 16_384): (context: Context) => Promise<Buffer | undefined> {
  const parse = bodyParser({
    // Without an encoding koa-bodyparser leaves the bytes as they are: its decoding would store another address. Its
    // types do not have the option.
    ...{ encoding: null },
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(limit),
  });

  return async (context) => {
    const request = context.req;
    const refuse = (because: Fault) => void answer(context, faults[because]);
    if (!announcesBody(request)) return Buffer.alloc(0);
    if (!isJson(request)) return refuse('unsupported-body');
    // The parser reads a length above 2^31 as another one.
    if (announcedLength(request) > limit) return refuse('body-too-large');
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
      const hasLeft = type === 'request.aborted' || type === 'request.size.invalid';
      if (hasLeft) return refuse('bad-request');
      throw type === 'stream.not.readable' ? anotherReader() : error;
    }
    const { body } = context.request;
    if (Buffer.isBuffer(body)) return body;
    // An empty chunked body has no bytes.
    if (body === '') return Buffer.alloc(0);
    throw anotherReader();
  };
}

const anotherReader = () => new Error('another reader has read the body: mount this route before it');

/** Whether the headers announce a body. A chunked body can still be empty. */
function announcesBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return announcedLength(request) > 0;
}

function announcedLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** Whether the body is JSON in UTF-8, without a content encoding (RFC 9110, section 8.3 and 8.4). */
function isJson(request: IncomingMessage): boolean {
  const types = headerValues(request, 'content-type');
  const { type, parameters } = mediaType(types[0] ?? '');
  if (types.length !== 1 || type !== 'application/json') return false;
  // Many programs write `utf8`, which the Encoding standard reads as the same.
  if (!/^utf-?8$/i.test(parameters.charset ?? 'utf-8')) return false;
  return listed(request.headers['content-encoding']).every((coding) => coding === 'identity');
}

/** Checks the name of a fault, which is the message of an issue. */
const fault = <F extends BodyFault>(name: F) => name;

/** The request body (contract: the call). Other keys are ignored. */
const requestBody = v.object(
  {
    mirror_endpoint: v.pipe(
      v.nonNullish(v.unknown(), fault('required')),
      v.string(fault('not-a-string')),
      v.check((text) => text.trim() !== '', fault('required')),
    ),
  },
  fault('required'),
);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The address in a body, or why there is none. A leading byte order mark is not part of the body. */
function submitted(bytes: Uint8Array): { address?: string; fault?: BodyFault } {
  if (bytes.length === 0) return { fault: 'required' };
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return { fault: 'not-json' };
  }
  const parsed = v.safeParse(requestBody, value, { abortEarly: true, abortPipeEarly: true });
  if (parsed.success) return { address: parsed.output.mirror_endpoint };
  return { fault: parsed.issues[0].message as BodyFault };
}
