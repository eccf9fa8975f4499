import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { HttpServer } from '@campaign-mirror/adapters-http';

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
