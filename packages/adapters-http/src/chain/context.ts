import type { AsyncResource } from 'node:async_hooks';
import type Koa from 'koa';
import type { Reply } from '../answers/replies.ts';
import type { AnsweredRequest } from './http-log.ts';

/** What is known of a request while it passes the chain. */
type Call = { -readonly [Name in keyof AnsweredRequest]: AnsweredRequest[Name] };

/** What one part of the chain leaves for those after it. */
export interface ServiceState {
  call: Call;
  /** When its headers had been read, by `performance.now()`. */
  began: number;
  /** Its asynchronous context, and with it its trace. */
  origin: AsyncResource;
}

export type Context = Koa.ParameterizedContext<ServiceState>;
/** A part of the chain. */
export type Middleware = Koa.Middleware<ServiceState>;

/** Sets a reply on Koa's response, unless the call was cut short by another one. */
export function answer(context: Context, reply: Reply): void {
  const { res } = context;
  if (res.headersSent) return;
  context.status = reply.status;
  context.state.call.because = reply.because;
  if (reply.headers) context.set(reply.headers);
  if (reply.closes) res.setHeader('Connection', 'close');
  if (reply.body === undefined) context.body = null;
  else {
    res.setHeader('Content-Type', reply.contentType ?? 'application/json; charset=utf-8');
    context.body = reply.body;
  }
}
