import type { Reply } from '../answers/replies.ts';
import type { Context } from './context.ts';

/** Sets a reply on Koa's response. */
export function answer(context: Context, reply: Reply): void {
  context.status = reply.status;
  context.state.call.because = reply.because;
  if (reply.headers) context.set(reply.headers);
  if (reply.closes) context.set('Connection', 'close');
  if (reply.body === undefined) context.body = null;
  else {
    context.set('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
    context.body = reply.body;
  }
}
