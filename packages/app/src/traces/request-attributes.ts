import type { IncomingMessage } from 'node:http';
import type { AnsweredRequest } from '@campaign-mirror/adapters-http';
import type { Attributes } from '@opentelemetry/api';
import * as conventions from '@opentelemetry/semantic-conventions';
import { knownMethods } from '../process/http-methods.ts';

/** Those of the conventions; any other is `_OTHER`. */
const methods = new Set<string>(knownMethods);

/** Of low cardinality, as span names must be: neither a path nor a method that callers invent. */
export function spanName({ method, route }: AnsweredRequest): string {
  const known = methods.has(method) ? method : 'HTTP';
  return route === '-' ? known : `${known} ${route}`;
}

/**
 * A request's attributes by the Semantic Conventions and those of the log, without path and host, which callers choose.
 */
export function requestAttributes(
  answered: AnsweredRequest,
  { httpVersion, socket }: IncomingMessage,
): Attributes {
  const { method, route, status, client, requestId, because, campaign, callerGone } = answered;
  const isKnown = methods.has(method);
  return {
    [conventions.ATTR_HTTP_REQUEST_METHOD]: isKnown ? method : '_OTHER',
    [conventions.ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: isKnown ? undefined : method,
    [conventions.ATTR_HTTP_ROUTE]: route === '-' ? undefined : route,
    [conventions.ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    // TLS ends at the proxy.
    [conventions.ATTR_URL_SCHEME]: 'http',
    [conventions.ATTR_NETWORK_PROTOCOL_VERSION]: httpVersion,
    [conventions.ATTR_SERVER_ADDRESS]: socket.localAddress,
    [conventions.ATTR_SERVER_PORT]: socket.localPort,
    [conventions.ATTR_CLIENT_ADDRESS]: client === '-' ? undefined : client,
    'campaign_mirror.request_id': requestId,
    'campaign_mirror.because': because,
    'campaign_mirror.campaign': campaign,
    'campaign_mirror.caller_gone': callerGone,
  };
}
