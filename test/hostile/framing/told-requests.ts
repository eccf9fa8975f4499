import { Capacity, HttpServer, Replies } from '@campaign-mirror/adapters-http';
import { CapturedLog } from '../../support/http/log.ts';

/** The service's own listener, which tells what reached it instead of carrying it out. */
export interface ToldRequests {
  readonly port: number;
  /** How many requests it has read to their ends. */
  readonly count: number;
  close(): Promise<unknown>;
}

export async function toldRequests(): Promise<ToldRequests> {
  let count = 0;
  const capacity = new Capacity({ inFlight: Number.POSITIVE_INFINITY });
  const server = new HttpServer(
    { replies: new Replies(), log: new CapturedLog(), bodyLimit: 16_384, capacity },
    (exchange) => {
      const { request } = exchange;
      request.resume().once('end', () => {
        count++;
        exchange.bodyRead = true;
        exchange.answer({ status: 200, body: JSON.stringify({ url: request.url }) });
      });
    },
  );
  const { port } = await server.listen(0, '127.0.0.1');
  return {
    port,
    get count() {
      return count;
    },
    close: () => server.drain(0),
  };
}
