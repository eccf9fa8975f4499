import { once } from 'node:events';
import { type Agent, get, type IncomingMessage } from 'node:http';
import { Capacity, type Exchange, HttpServer, Replies } from '@campaign-mirror/adapters-http';
import { type SteppedClock, steppedClock } from './clock.ts';
import { CapturedLog } from './log.ts';
import { stopListener } from './stop-listener.ts';

/** A listener without a service behind it: what it is asked is answered by the test. Its time is the test's. */
interface HttpListener {
  readonly port: number;
  readonly server: HttpServer;
  readonly clock: SteppedClock;
  readonly log: CapturedLog;
  readonly replies: Replies;
}

/** More than all buffers between the service and a caller hold: as long as it is not read, it is on its way. */
export const largeReply = { status: 200, body: Buffer.alloc(16_000_000) };

/** The answer to a caller that reads no more of it than its headers; a whole one, where the caller then reads on. */
export async function unreadAnswer(
  { port }: HttpListener,
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  const [response] = await once(get({ port, host: '127.0.0.1', agent }), 'response');
  return response;
}

/** Starts it before each of the tests of the describe block that it is called in, and stops it after it. */
export function withHttpListener(carryOut: (exchange: Exchange) => void): () => HttpListener {
  let listener: HttpListener | undefined;
  let stop: (() => Promise<void>) | undefined;
  beforeEach(async () => {
    const [clock, log, replies] = [steppedClock(), new CapturedLog(), new Replies()];
    const capacity = new Capacity({ inFlight: Number.POSITIVE_INFINITY }, undefined, clock);
    const server = new HttpServer({ bodyLimit: 16_384, capacity, clock, log, replies }, carryOut);
    const { port } = await server.listen(0, '127.0.0.1');
    listener = { port, server, clock, log, replies };
    stop = () => stopListener(server, capacity, port);
  });
  afterEach(() => stop?.());
  return () => {
    if (!listener) throw new Error('the listener runs while tests run only');
    return listener;
  };
}
