import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { type HttpServer, trustedProxies } from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import type { Settings } from '../settings/settings.ts';

/** Listens for callers or for operators. Resolves with the port in use. @throws ClearError when that is impossible */
export async function listen(
  server: HttpServer,
  settings: Settings,
  name: 'PORT' | 'OPS_PORT',
): Promise<number> {
  const port = settings[name];
  const host = name === 'PORT' ? settings.HOST : settings.OPS_HOST;
  const reusePort = name === 'PORT' && settings.REUSE_PORT === 'on';
  try {
    return (await server.listen(port, host, { reusePort })).port;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    const advice = remedies[code]?.(name, `${name} ${port} on ${host}`, host);
    throw advice === undefined ? error : new ClearError(advice);
  }
}

/** HOST is also what conda and some shells call the kind or the name of the machine. */
const noAddress = (name: string, _where: string, host: string) =>
  `${name.replace('PORT', 'HOST')}: ${JSON.stringify(host)} is no address of this machine: unset it, or set one`;

const remedies: Readonly<Record<string, (name: string, where: string, host: string) => string>> = {
  EADDRINUSE: (name, where) => `${where} is in use: free it, or set ${name}`,
  EACCES: (name, where) => `${where} may not be used by this user: set ${name}`,
  ENOTSUP: () => 'REUSE_PORT=on: this system cannot share a port between processes (SO_REUSEPORT)',
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
};

/** Once per start: keys that cross a network without TLS can be read there. */
export function warnOfPlainHttp({ HOST, TRUSTED_PROXIES }: Settings, log: Log): void {
  const isLoopback = HOST === 'localhost' || trustedProxies(['loopback']).has(HOST);
  if (TRUSTED_PROXIES !== undefined || isLoopback) return;
  log.warn(
    { event: 'plain-http-exposed', host: HOST },
    'others can reach this service over plain HTTP: put a TLS proxy in front of it, and name the proxy in TRUSTED_PROXIES',
  );
}
