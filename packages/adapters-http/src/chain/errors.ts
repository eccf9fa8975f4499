import { Unavailable } from '@campaign-mirror/domain';
import type { Replies } from '../answers/replies.ts';
import { answer } from './answer.ts';
import type { Middleware } from './context.ts';
import type { HttpLog } from './http-log.ts';

/** Answers what is thrown behind it: 503 where the store is unavailable, 500 for anything else, and logs it. */
export function errorsAsAnswers(replies: Replies, log: HttpLog): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
      const { requestId, trace } = context.state.call;
      trace?.failed(error);
      log.failed(requestId, error, because, trace);
      answer(context, replies.fault(because));
    }
  };
}
