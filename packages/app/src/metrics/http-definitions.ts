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
    help: 'Requests that were answered, those that overload or the parser refused included.',
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
    help: 'Answers to callers other than 200, by their reason: for 403 the rule, for 401 what is wrong with the key, for 422 with the address.',
    labels: { status, because: refusals.map(({ because }) => because) },
  },
  campaign_mirror_http_callers_gone_total: {
    type: 'counter',
    help: 'Requests of these whose callers did not wait for the answer.',
    labels: { listener: listeners },
  },
  campaign_mirror_http_requests_in_flight: {
    type: 'gauge',
    help: 'Requests of callers that are being carried out.',
  },
  campaign_mirror_http_requests_in_flight_limit: {
    type: 'gauge',
    help: 'How many may be: MAX_IN_FLIGHT, of all processes together.',
  },
  campaign_mirror_http_connections: {
    type: 'gauge',
    help: 'Open connections.',
    labels: { listener: listeners },
  },
  campaign_mirror_http_connections_limit: {
    type: 'gauge',
    help: 'How many may be; of callers: MAX_CONNECTIONS, of all processes together.',
    labels: { listener: listeners },
  },
  campaign_mirror_overload_refusals_total: {
    type: 'counter',
    help: 'Requests, or connections, that were refused because there were too many.',
    labels: { listener: listeners, what: overloads },
  },
});
