import { Unavailable } from '@campaign-mirror/domain';
import { faults } from '../answers/replies.ts';
import { answer, type Middleware } from './context.ts';
import type { HttpLog } from './http-log.ts';

/** Answers what is thrown behind it: 503 where the store is unavailable, 500 for anything else, and logs it. */
export function errorsAsAnswers(log: HttpLog): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
      log.failed(context.state.call.requestId, error, because);
      answer(context, faults[because]);
    }
  };
}
