import { Calls, Capacity, HttpServer, silentLog } from '@campaign-mirror/adapters-http';
import { messageFault } from '../../../packages/adapters-http/src/messages/message-faults.ts';

/** The service's own listener, which tells what reached it instead of carrying it out. */
export interface ToldRequests {
  readonly port: number;
  /** The requests that it has read to their ends: method and target, and which address the proxy named. */
  readonly told: readonly { readonly what: string; readonly from: string | undefined }[];
  close(): Promise<unknown>;
}

export async function toldRequests(): Promise<ToldRequests> {
  const told: ToldRequests['told'][number][] = [];
  const capacity = new Capacity({ inFlight: Number.POSITIVE_INFINITY });
  const log = silentLog;
  const shared = { calls: new Calls({ log }), log, capacity };
  const server = new HttpServer((request, response) => {
    // As the application does.
    const isMalformed = messageFault(request) !== undefined;
    const status = isMalformed ? 400 : 200;
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      // By which the answers of the service are known behind a proxy.
      'X-Content-Type-Options': 'nosniff',
      ...(isMalformed && { Connection: 'close' }),
    };
    request.resume().once('end', () => {
      const from = request.headers['x-forwarded-for'];
      told.push({ what: `${request.method} ${request.url}`, from: from?.toString() });
      const body = JSON.stringify({ url: request.url });
      response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
    });
  }, shared);
  const { port } = await server.listen(0, '127.0.0.1');
  return {
    port,
    told,
    close: () => server.drain(0),
  };
}
