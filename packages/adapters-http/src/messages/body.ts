import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import type { Fault } from '../answers/replies.ts';
import { announcesBody, bodyHeaderFault, expectsContinue } from './body-headers.ts';

const nothing = Buffer.alloc(0);

/** Reads the bytes of a request's body, or says why there are none (contract: order of checks, 4). */
export function bodyReader(limit: number): (context: Context) => Promise<Buffer | { fault: Fault }> {
  // Without an encoding koa-bodyparser leaves the bytes as they are: its decoding would store another address.
  const bytes = { encoding: null };
  const parse = bodyParser({
    ...bytes,
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(limit),
  });

  return async (context) => {
    const { req: request } = context;
    if (!announcesBody(request)) return nothing;
    if (request.readableDidRead)
      throw new Error('another reader has read the body: mount this route before it');
    const fault = bodyHeaderFault(request, limit);
    if (fault) return { fault };
    if (expectsContinue(request)) context.res.writeContinue();
    // The headers were checked above; in this form no parameter or spelling keeps the parser from reading.
    request.headers['content-type'] = 'application/json';
    delete request.headers['content-encoding'];
    // An application's own parser may have set them without reading this body; ours would not read it then.
    context.disableBodyParser = false;
    context.request.body = undefined;
    try {
      await parse(context, async () => {});
    } catch (error) {
      const { type } = error as { type?: string };
      if (type === 'entity.too.large') return { fault: 'body-too-large' };
      if (type === 'stream.encoding.set') throw error;
      // The caller left in the middle of its body.
      return { fault: 'bad-request' };
    }
    const { body } = context.request;
    return Buffer.isBuffer(body) ? body : nothing;
  };
}
