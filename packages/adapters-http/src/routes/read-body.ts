import type { IncomingMessage } from 'node:http';
import { parse as mediaType } from 'content-type';
import bodyParser from 'koa-bodyparser';
import { type Fault, faults } from '../answers/replies.ts';
import { answer, type Context } from '../chain/context.ts';
import { headerValues, listed } from '../messages/authorization.ts';

/** The largest body by default, in bytes (contract: answers, 413). */
const defaultLimit = 16_384;

/** Check 4: the body's type and size. Its bytes as they were sent, to be decoded later, unless it has been answered. */
export function bodyReader(limit = defaultLimit): (context: Context) => Promise<Buffer | undefined> {
  const parse = bodyParser({
    // Without an encoding koa-bodyparser leaves the bytes as they are: its decoding would store another address.
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
    // The parser takes a length above 2^31 for another one.
    if (announcedLength(request) > limit) return refuse('body-too-large');
    // Whatever their spelling is: the parser reads no other.
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
