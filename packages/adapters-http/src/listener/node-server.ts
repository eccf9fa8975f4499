import { createServer, type Server } from 'node:http';
import type { Deadlines } from './deadlines.ts';

/** Node's HTTP server, so strict and so forgiving as we need it. `mostConnections` may be open at once. */
export function nodeServer(deadlines: Deadlines, mostConnections: number | undefined): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval } = deadlines;
  const server = createServer({
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    connectionsCheckingInterval,
    insecureHTTPParser: false,
    requireHostHeader: false,
  });
  // The size of the header section bounds them; a count would silently hide a second Authorization.
  server.maxHeadersCount = 0;
  // In a cluster one that is too many would be handed from worker to worker, were it not dropped.
  if (mostConnections) Object.assign(server, { maxConnections: mostConnections, dropMaxConnection: true });
  // A caller that has nothing more to say is answered all the same.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}
