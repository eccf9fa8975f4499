import { createServer, type Server } from 'node:http';
import type { Deadlines } from './deadlines.ts';

/** Node's HTTP server with our settings. `maxConnections` may be open at once. */
export function nodeServer(deadlines: Deadlines, maxConnections: number | undefined): Server {
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
  // Without `dropMaxConnection`, a cluster would pass an excess connection from worker to worker.
  if (maxConnections) Object.assign(server, { maxConnections, dropMaxConnection: true });
  // A caller that has closed its side of the connection still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}
