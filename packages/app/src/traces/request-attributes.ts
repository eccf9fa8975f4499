import type { IncomingMessage } from 'node:http';
import type { AnsweredRequest } from '@campaign-mirror/adapters-http';
import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_CLIENT_ADDRESS,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_REQUEST_METHOD_ORIGINAL,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_NETWORK_PROTOCOL_VERSION,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_SCHEME,
} from '@opentelemetry/semantic-conventions';

/** Those that the conventions know (RFC 9110, section 9; RFC 5789); any other is `_OTHER`. */
const knownMethods = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** Low in number, as names of spans have to be: neither a path nor a method that callers make up. */
export function spanName({ method, route }: AnsweredRequest): string {
  const known = knownMethods.has(method) ? method : 'HTTP';
  return route === '-' ? known : `${known} ${route}`;
}

/** Of a request by the Semantic Conventions, but not its path and its host, which callers choose; and what the log has. */
export function requestAttributes(
  answered: AnsweredRequest,
  { httpVersion, socket }: IncomingMessage,
): Attributes {
  const { method, route, status, client, requestId, because, campaign, callerGone } = answered;
  const isKnown = knownMethods.has(method);
  return {
    [ATTR_HTTP_REQUEST_METHOD]: isKnown ? method : '_OTHER',
    [ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: isKnown ? undefined : method,
    [ATTR_HTTP_ROUTE]: route === '-' ? undefined : route,
    [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    // TLS ends before us.
    [ATTR_URL_SCHEME]: 'http',
    [ATTR_NETWORK_PROTOCOL_VERSION]: httpVersion,
    [ATTR_SERVER_ADDRESS]: socket.localAddress,
    [ATTR_SERVER_PORT]: socket.localPort,
    [ATTR_CLIENT_ADDRESS]: client === '-' ? undefined : client,
    'campaign_mirror.request_id': requestId,
    'campaign_mirror.because': because,
    'campaign_mirror.campaign': campaign,
    'campaign_mirror.caller_gone': callerGone,
  };
}
