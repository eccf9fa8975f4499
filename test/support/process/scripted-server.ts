import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a request gets: an answer, silence, or the end of its connection. */
export type Scripted =
  | 'silence'
  | 'end'
  | { readonly status: number; readonly retryAfter?: number; readonly body: unknown };

export interface Received {
  readonly requestId: unknown;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A server that answers one request after the other as it is told; the last answer is for all that follow. */
export async function scriptedServer(script: readonly Scripted[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { authorization, 'x-request-id': requestId } = request.headers;
    const scripted = script[Math.min(received.length, script.length - 1)];
    received.push({ authorization, requestId, body: await text(request) });
    if (scripted === 'end') request.socket.destroy();
    if (!scripted || typeof scripted === 'string') return;
    const { status, retryAfter, body } = scripted;
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, received, close };
}
