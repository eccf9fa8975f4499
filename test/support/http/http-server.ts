import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server for a test; closing it also ends its connections. */
export async function httpServer(listener: RequestListener, at = 0) {
  const server = createServer(listener).listen(at, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return { port, url: `http://127.0.0.1:${port}`, close };
}
