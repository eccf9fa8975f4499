import { Replies } from '@campaign-mirror/adapters-http';
import { define } from './definition.ts';

export const listeners = ['callers', 'operators'] as const;
export type Listener = (typeof listeners)[number];

/** Those of RFC 9110 and PATCH; any other is `other`. */
export const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'other',
] as const;

export const overloads = ['requests', 'event-loop-delay', 'pipelined-requests', 'connections'] as const;

/** In seconds: fine around the millisecond that a request takes on a machine that is not busy. */
export const requestBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Every reason for another status than 200. */
export const { refusals } = new Replies();

const route =
  'the pattern of a route, such as `/public/v1/mirror/campaign/{campaign}/mirror`, or `other` for none';
const status = 'HTTP status';

/** Requests, connections, overload. */
export const httpDefinitions = define({
  campaign_mirror_http_requests_total: {
    type: 'counter',
    help: 'Requests that were answered, including those refused by the parser or for overload.',
    labels: { listener: listeners, route, method: methods, status },
  },
  campaign_mirror_http_request_duration_seconds: {
    type: 'histogram',
    help: 'From the headers of a request to its answer.',
    labels: { listener: listeners, route, status },
    buckets: requestBuckets,
  },
  campaign_mirror_http_refusals_total: {
    type: 'counter',
    help: 'Answers to callers other than 200, by reason: the rule for 403, the fault of the key for 401, of the address for 422.',
    labels: { status, because: refusals.map(({ because }) => because) },
  },
  campaign_mirror_http_callers_gone_total: {
    type: 'counter',
    help: 'Requests whose callers did not wait for the answer.',
    labels: { listener: listeners },
  },
  campaign_mirror_http_requests_in_flight: {
    type: 'gauge',
    help: 'Requests of callers in progress.',
  },
  campaign_mirror_http_requests_in_flight_limit: {
    type: 'gauge',
    help: 'Limit of requests in progress: MAX_IN_FLIGHT, summed over all processes.',
  },
  campaign_mirror_http_connections: {
    type: 'gauge',
    help: 'Open connections.',
    labels: { listener: listeners },
  },
  campaign_mirror_http_connections_limit: {
    type: 'gauge',
    help: 'Limit of open connections; for callers MAX_CONNECTIONS, summed over all processes.',
    labels: { listener: listeners },
  },
  campaign_mirror_overload_refusals_total: {
    type: 'counter',
    help: 'Requests or connections that were refused because there were too many.',
    labels: { listener: listeners, what: overloads },
  },
});
