import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { HttpServer } from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import type { Settings } from '../settings/settings.ts';
import { trustedProxies } from '../settings/trusted-proxies.ts';

/** Resolves with the port in use. @throws ClearError when it is taken or needs more rights */
export async function listen(
  server: HttpServer,
  port: number,
  host: string,
  name: 'PORT' | 'OPS_PORT',
): Promise<number> {
  try {
    return (await server.listen(port, host)).port;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE')
      throw new ClearError(`${name} ${port} on ${host} is in use: free it, or set ${name}`);
    if (code === 'EACCES')
      throw new ClearError(`${name} ${port} on ${host} may not be used by this user: set ${name}`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new ClearError(`${name}: ${JSON.stringify(host)} is no address of this machine`);
    }
    throw error;
  }
}

/** Once per start: keys that cross a network without TLS can be read there. */
export function warnOfPlainHttp({ HOST, TRUSTED_PROXIES }: Settings, log: Log): void {
  if (TRUSTED_PROXIES !== undefined || isLoopback(HOST)) return;
  log.warn(
    { event: 'plain-http-exposed', host: HOST },
    'others can reach this service over plain HTTP: put a TLS proxy in front of it, and name the proxy in TRUSTED_PROXIES',
  );
}

function isLoopback(host: string): boolean {
  const thisMachine = trustedProxies(['loopback']);
  return host === 'localhost' || ('has' in thisMachine && thisMachine.has(host));
}
