import type { Log } from '../logging/log.ts';
import type { Settings } from '../settings/settings.ts';
import { trustedProxies } from '../settings/trusted-proxies.ts';

/** Once per start: keys that cross a network without TLS can be read there. */
export function warnOfPlainHttp({ HOST, TRUSTED_PROXIES }: Settings, log: Log): void {
  if (TRUSTED_PROXIES !== undefined || isLoopback(HOST)) return;
  log.warn(
    { event: 'plain-http-exposed', host: HOST },
    'others can reach this service, which speaks HTTP: put a TLS proxy before it and name that in TRUSTED_PROXIES',
  );
}

function isLoopback(host: string): boolean {
  const thisMachine = trustedProxies(['loopback']);
  return host === 'localhost' || ('has' in thisMachine && thisMachine.has(host));
}
