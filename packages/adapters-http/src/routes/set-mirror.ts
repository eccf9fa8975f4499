import type * as domain from '@campaign-mirror/domain';
import { accessKey, campaignId, isCaller, unauthenticated } from '@campaign-mirror/domain';
import bodyParser from 'koa-bodyparser';
import * as v from 'valibot';
import { answer, type Context, type Middleware } from '../chain/calls.ts';
import { conditionIn, credentialIn, isJson } from '../chain/headers.ts';
import { type CallLimits, removeLimit, type Slots, withinLimit } from '../chain/limits.ts';
import { type Fault, faultReplies, type RequestFault, replyTo } from '../chain/replies.ts';

/** The parts of the route. */
export interface SetMirrorSettings {
  readonly useCase: Pick<domain.SetCampaignMirror, 'identify' | 'execute'>;
  /** Whether a bearer token can be a credential; by default, whether it is a well-formed access key. */
  readonly isWellFormed?: ((credential: string) => boolean) | undefined;
  /** The largest body, in bytes; 16,384 by default. */
  readonly bodyLimit?: number | undefined;
  readonly slots: Slots;
  /** Unlimited by default. */
  readonly limits?: CallLimits | undefined;
}

/** The route: the checks 3 to 11, in the order of the contract. */
export function setMirror(settings: SetMirrorSettings): Middleware {
  const { useCase, slots, limits, bodyLimit } = settings;
  const { isWellFormed = (text) => accessKey(text) !== undefined } = settings;
  const readBody = bodyReader(bodyLimit);
  return async (context) => {
    const { call } = context.state;
    // From the path as sent, since the router decodes it.
    const segment = context.path.split('/').at(-2) ?? '';
    const campaign = campaignId(segment);

    const credential = credentialIn(context.req, isWellFormed);
    if (typeof credential !== 'string') return answer(context, faultReplies[credential.fault]);
    const body = await readBody(context);
    if (typeof body === 'string') return answer(context, faultReplies[body]);
    call.campaign = campaign;

    await slots.hold(context, async () => {
      const caller = await useCase.identify(credential);
      call.subject = caller?.subject;
      if (!isCaller(caller)) return answer(context, replyTo(unauthenticated(caller), segment));

      await slots.share(context, caller.ownerId, async () => {
        if (limits?.keys && !(await withinLimit(limits.keys, context))) return;
        // Middleware that does not await `next()` may have answered: then nothing is set.
        if (context.res.headersSent) return;
        // Not parsed for a malformed campaign: a caller without a right must not learn whether its body is valid.
        const { fault, address, lastChange } = read(context, campaign === undefined ? noBytes : body);
        const request = { credential, caller, campaign, address, lastChange, requestId: call.requestId };
        const outcome = await useCase.execute(request);
        if (outcome.kind === 'unauthenticated') {
          call.subject = outcome.subject;
          // The limit was counted and reported before the key was found to be invalid.
          removeLimit(context);
        }
        answer(context, replyTo(outcome, segment, fault));
      });
    });
  };
}

const noBytes = Buffer.alloc(0);

/** Reads the body, unless check 4 refuses its type or its size. */
function bodyReader(limit = 16_384): (context: Context) => Promise<Buffer | Fault> {
  const parse = bodyParser({
    // Keeps the bytes, because the parser would replace invalid UTF-8. Its types lack this option.
    ...{ encoding: null },
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(limit),
  });
  return async (context) => {
    const { req: request } = context;
    const length = Number(request.headers['content-length'] ?? 0);
    // A chunked body has no length, and may be empty.
    if (length === 0 && request.headers['transfer-encoding'] === undefined) return noBytes;
    if (!isJson(request)) return 'unsupported-body';
    // The parser misreads a length above 2^31, and has no limit if `limit` is NaN.
    if (!(length <= limit)) return 'body-too-large';
    // The parser accepts only this spelling.
    request.headers['content-type'] = 'application/json';
    delete request.headers['content-encoding'];
    try {
      await parse(context, async () => {});
    } catch (error) {
      // The parser has stopped reading. Without this, the rest would block the connection.
      request.resume();
      const { type } = error as { type?: string };
      if (type === 'entity.too.large') return 'body-too-large';
      // The caller left before the end of its body.
      if (type === 'request.aborted' || type === 'request.size.invalid') return 'bad-request';
      throw error;
    }
    if (!Buffer.isBuffer(context.request.body)) throw new Error('middleware has read the body');
    return context.request.body;
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

/** The condition and the address, or why there is none. A leading byte order mark is ignored. */
function read({ req }: Context, bytes: Buffer): ReturnType<typeof conditionIn> & { address?: string } {
  const condition = conditionIn(req);
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
