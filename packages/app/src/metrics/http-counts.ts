import { type HttpObserver, type Refused, setMirrorRoute } from '@campaign-mirror/adapters-http';
import { Buckets } from './buckets.ts';
import type { Sample, Samples } from './definition.ts';
import { type httpDefinitions, type Listener, methods, requestBuckets } from './http-definitions.ts';

/** Of one route and status. */
interface Counted {
  readonly durations: Buckets;
  readonly byMethod: Map<string, number>;
}

/** Those that an alert compares: told from 0 on, so that their first rise is seen. Overload looks at no route. */
const fromTheFirst = [
  [setMirrorRoute, [200, 500, 503]],
  ['-', [503]],
] as const;

const known = new Set<string>(methods);

/** Counts the answers of a listener, with nothing made for any of them but the first of its kind. */
export class HttpCounts implements HttpObserver {
  readonly #listener: Listener;
  readonly #routes = new Map<string, Map<number, Counted>>();
  readonly #refusals: Map<string, { readonly status: number; count: number }>;
  #callersGone = 0;

  /** `refusals`: those that there are. */
  constructor(listener: Listener, refusals: readonly Refused[] = []) {
    this.#listener = listener;
    for (const [route, statuses] of listener === 'callers' ? fromTheFirst : []) {
      for (const status of statuses) this.#counted(route, status).byMethod.set('POST', 0);
    }
    this.#refusals = new Map(refusals.map(({ because, status }) => [because, { status, count: 0 }]));
  }

  answered(
    method: string,
    route: string,
    status: number,
    milliseconds: number,
    because: string | undefined,
    callerGone: boolean,
  ): void {
    const { durations, byMethod } = this.#counted(route, status);
    durations.observe(milliseconds / 1_000);
    const name = known.has(method) ? method : 'other';
    byMethod.set(name, (byMethod.get(name) ?? 0) + 1);
    if (callerGone) this.#callersGone += 1;
    if (because === undefined) return;
    const refusal = this.#refusals.get(because);
    if (refusal) refusal.count += 1;
    else this.#refusals.set(because, { status, count: 1 });
  }

  #counted(route: string, status: number): Counted {
    const counted = this.#routes.get(route)?.get(status);
    if (counted) return counted;
    const first = { durations: new Buckets(requestBuckets), byMethod: new Map() };
    const statuses = this.#routes.get(route) ?? new Map();
    this.#routes.set(route, statuses.set(status, first));
    return first;
  }

  samples(): Samples<typeof httpDefinitions> {
    const listener = this.#listener;
    const requests: Sample[] = [];
    const durations: Sample[] = [];
    for (const [pattern, statuses] of this.#routes) {
      const route = pattern === '-' ? 'other' : pattern;
      for (const [status, counted] of statuses) {
        const name = 'campaign_mirror_http_request_duration_seconds';
        durations.push(...counted.durations.samples(name, { listener, route, status }));
        for (const [method, value] of counted.byMethod) {
          requests.push({ labels: { listener, route, method, status }, value });
        }
      }
    }
    const refusals = [...this.#refusals].map(([because, { status, count }]) => ({
      labels: { status, because },
      value: count,
    }));
    return {
      campaign_mirror_http_requests_total: requests,
      campaign_mirror_http_request_duration_seconds: durations,
      ...(listener === 'callers' && { campaign_mirror_http_refusals_total: refusals }),
      campaign_mirror_http_callers_gone_total: [{ labels: { listener }, value: this.#callersGone }],
    };
  }
}
