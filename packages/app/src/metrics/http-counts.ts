import {
  type Capacity,
  type HttpObserver,
  type HttpServer,
  type Refused,
  setMirrorRoute,
} from '@campaign-mirror/adapters-http';
import { plain, type Samples } from './definition.ts';
import { httpDefinitions, type Listener, methods, overloads } from './http-definitions.ts';
import { counter, histogram, samplesOf } from './instruments.ts';

/** Those that an alert compares: told from 0 on, so that their first rise is seen. Overload looks at no route. */
const fromTheFirst = [
  { route: setMirrorRoute, status: 200 },
  { route: setMirrorRoute, status: 500 },
  { route: setMirrorRoute, status: 503 },
  { route: 'other', status: 503 },
];

const known = new Set<string>(methods);

/** Counts the answers of a listener. */
export class HttpCounts implements HttpObserver {
  readonly #listener: Listener;
  readonly #requests = counter(httpDefinitions, 'campaign_mirror_http_requests_total');
  readonly #durations = histogram(httpDefinitions, 'campaign_mirror_http_request_duration_seconds');
  readonly #refusals = counter(httpDefinitions, 'campaign_mirror_http_refusals_total');
  readonly #callersGone = counter(httpDefinitions, 'campaign_mirror_http_callers_gone_total');

  /** `refusals`: those that there are. */
  constructor(listener: Listener, refusals: readonly Refused[] = []) {
    this.#listener = listener;
    for (const labels of listener === 'callers' ? fromTheFirst : []) {
      this.#requests.inc({ listener, method: 'POST', ...labels }, 0);
      this.#durations.zero({ listener, ...labels });
    }
    for (const { status, because } of refusals) this.#refusals.inc({ status, because }, 0);
    this.#callersGone.inc({ listener }, 0);
  }

  answered(
    method: string,
    pattern: string,
    status: number,
    milliseconds: number,
    because: string | undefined,
    callerGone: boolean,
  ): void {
    const listener = this.#listener;
    const route = pattern === '-' ? 'other' : pattern;
    this.#durations.observe({ listener, route, status }, milliseconds / 1_000);
    this.#requests.inc({ listener, route, method: known.has(method) ? method : 'other', status });
    if (callerGone) this.#callersGone.inc({ listener });
    if (because !== undefined) this.#refusals.inc({ status, because });
  }

  samples() {
    const ofBoth = [this.#requests, this.#durations, this.#callersGone];
    return samplesOf(this.#listener === 'callers' ? [...ofBoth, this.#refusals] : ofBoth);
  }
}

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
