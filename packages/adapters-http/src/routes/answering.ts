import { Unavailable } from '@campaign-mirror/domain';
import type { Replies } from '../answers/replies.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { HttpLog } from '../listener/http-log.ts';

/** Runs what answers the exchange; an error is logged and answered with 503 or 500. Never rejects. */
export async function answering(
  exchange: Exchange,
  { replies, log }: { readonly replies: Replies; readonly log: HttpLog },
  run: () => unknown,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const because = error instanceof Unavailable ? 'unavailable' : 'unexpected';
    exchange.trace?.failed(error);
    log.failed(exchange.requestId, error, because, exchange.trace);
    exchange.answer(replies.fault(because));
  }
}
