import type { IncomingMessage } from 'node:http';
import { parse as mediaType } from 'content-type';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import type { Fault } from '../answers/replies.ts';
import { headerValues } from './authorization.ts';

const nothing = Buffer.alloc(0);

/** Reads the bytes of a request's body, or says why there are none (contract: order of checks, 4). */
export function bodyReader(limit: number): (context: Context) => Promise<Buffer | { fault: Fault }> {
  const parse = bodyParser({
    // Without an encoding koa-bodyparser leaves the bytes as they are: its decoding would store another address.
    ...{ encoding: null },
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(limit),
  });

  return async (context) => {
    const { req: request } = context;
    if (!announcesBody(request)) return nothing;
    if (!isJson(request)) return { fault: 'unsupported-body' };
    // The parser takes a length above 2^31 for another one.
    if (announcedLength(request) > limit) return { fault: 'body-too-large' };
    // Whatever their spelling is: the parser reads no other.
    request.headers['content-type'] = 'application/json';
    delete request.headers['content-encoding'];
    try {
      await parse(context, async () => {});
    } catch (error) {
      const { type } = error as { type?: string };
      if (type === 'entity.too.large') return { fault: 'body-too-large' };
      // The caller left in the middle of its body.
      if (type === 'request.aborted' || type === 'request.size.invalid') return { fault: 'bad-request' };
      throw error;
    }
    const { body } = context.request;
    // An empty chunked body has no bytes.
    if (body === '') return nothing;
    if (Buffer.isBuffer(body)) return body;
    throw new Error('another reader has read the body: mount this route before it');
  };
}

/** Whether the headers announce a body. A chunked body can still be empty. */
function announcesBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return announcedLength(request) > 0;
}

function announcedLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** Whether the body is JSON in UTF-8, without a content encoding (RFC 9110, section 8.3 and 8.4). */
function isJson({ rawHeaders, headers }: IncomingMessage): boolean {
  const types = headerValues(rawHeaders, 'content-type');
  const { type, parameters } = mediaType(types[0] ?? '');
  if (types.length !== 1 || type !== 'application/json') return false;
  if ((parameters.charset ?? 'utf-8').toLowerCase() !== 'utf-8') return false;
  return (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
}
