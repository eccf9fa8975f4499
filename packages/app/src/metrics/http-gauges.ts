import type { Capacity, HttpServer } from '@campaign-mirror/adapters-http';
import { plain, type Samples } from './definition.ts';
import { type httpDefinitions, type Listener, overloads } from './http-definitions.ts';

/** What a listener carries at this moment, and what it has refused. */
export function httpGauges(listener: Listener, server: HttpServer, capacity: Capacity) {
  const labels = { listener };
  return (): Samples<typeof httpDefinitions> => ({
    campaign_mirror_http_connections: [{ labels, value: server.connections }],
    campaign_mirror_http_connections_limit: [
      { labels, value: capacity.connections ?? Number.POSITIVE_INFINITY },
    ],
    campaign_mirror_overload_refusals_total: overloads.map((what) => ({
      labels: { listener, what },
      value: capacity.refusals.get(what) ?? 0,
    })),
    ...(listener === 'callers' && {
      campaign_mirror_http_requests_in_flight: plain(capacity.inFlight),
      campaign_mirror_http_requests_in_flight_limit: plain(capacity.maxInFlight),
    }),
  });
}
