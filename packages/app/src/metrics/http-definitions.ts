import { refusals } from '@campaign-mirror/adapters-http';
import { knownMethods } from '../process/http-methods.ts';
import { counter, define, gauge, histogram } from './definition.ts';

export const listeners = ['callers', 'operators'] as const;
export type Listener = (typeof listeners)[number];

export const methods = [...knownMethods, 'other'];

export const overloads = ['requests', 'event-loop-delay', 'connections'] as const;

/** In seconds: fine around the millisecond that a request takes on a machine that is not busy. */
export const requestBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

const route =
  'the pattern of a route, such as `/public/v1/mirror/campaign/{campaign}/mirror`, or `other` for none';
const status = 'HTTP status';

/** Requests, connections, overload. */
export const httpDefinitions = define({
  campaign_mirror_http_requests_total: counter({ listener: listeners, route, method: methods, status }).help(
    'Requests that were answered, including those refused by the parser or for overload.',
  ),
  campaign_mirror_http_request_duration_seconds: histogram(requestBuckets, {
    listener: listeners,
    route,
    status,
  }).help('From the headers of a request to its answer.'),
  campaign_mirror_http_refusals_total: counter({
    status,
    because: refusals.map(({ because }) => because),
  }).help(
    'Answers to callers other than 200, by reason, such as the rule for 403, the fault of the key for 401, or of the address for 422.',
  ),
  campaign_mirror_http_callers_gone_total: counter({ listener: listeners }).help(
    'Requests whose callers did not wait for the answer.',
  ),
  campaign_mirror_http_requests_in_flight: gauge({}).help('Requests of callers in progress.'),
  campaign_mirror_http_requests_in_flight_limit: gauge({}).help(
    'Limit of requests in progress: MAX_IN_FLIGHT, summed over all processes.',
  ),
  campaign_mirror_http_connections: gauge({ listener: listeners }).help('Open connections.'),
  campaign_mirror_http_connections_limit: gauge({ listener: listeners }).help(
    'Limit of open connections; for callers MAX_CONNECTIONS, summed over all processes.',
  ),
  campaign_mirror_overload_refusals_total: counter({ listener: listeners, what: overloads }).help(
    'Requests or connections that were refused because there were too many.',
  ),
});
