import { isNativeError } from 'node:util/types';
import { Unavailable } from '@campaign-mirror/domain';
import { faults } from '../answers/replies.ts';
import { answer, type Middleware } from './context.ts';
import type { HttpLog } from './http-log.ts';

/**
 * Answers what is thrown behind it: 503 where the store is unavailable, 500 for anything else, and logs it. Without a log
 * it is an error of the Koa application, as what other middleware throws.
 */
export function errorsAsAnswers(log: HttpLog | undefined): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
      answer(context, faults[because]);
      if (log) log.failed(context.state.call.requestId, error, because);
      // An application refuses to be told of what is not an error.
      else context.app.emit('error', isNativeError(error) ? error : new Error(String(error)), context);
    }
  };
}
