import type { IncomingMessage } from 'node:http';
import type { Fault } from '../answers/replies.ts';
import { headerValues, listed } from './authorization.ts';

/** A host and a port, or nothing (RFC 9112, section 3.2; RFC 3986, section 3.2.2). */
const host = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(?::[0-9]*)?$/;

/** Why a message that Node's parser accepts must be refused all the same. */
export function messageFault(request: IncomingMessage): Fault | undefined {
  if (request.httpVersionMajor !== 1 || isWronglyFramed(request)) return 'bad-request';
  const hosts = headerValues(request, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && request.httpVersionMinor === 1)) return 'bad-request';
  if (!host.test(hosts[0] ?? '')) return 'bad-request';
  const isMet = listed(request.headers.expect).every((one) => one === '100-continue');
  return isMet ? undefined : 'expectation-failed';
}

/** A transfer coding that we do not decode, or any at all in HTTP/1.0 (RFC 9112, section 6.1). */
function isWronglyFramed(request: IncomingMessage): boolean {
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined) return false;
  return request.httpVersionMinor === 0 || coding.trim().toLowerCase() !== 'chunked';
}
