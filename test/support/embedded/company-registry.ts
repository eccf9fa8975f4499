import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

export interface Asked {
  readonly path: string;
  readonly agent: string;
  readonly authorization: string | undefined;
}

export interface CompanyRegistry {
  readonly url: string;
  /** Every request, in its order. */
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** A registry in front of the one that this machine uses, as companies have them: it hands on what it is asked for. */
export async function companyRegistry(): Promise<CompanyRegistry> {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry']);
  const behind = stdout.trim();
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    asked.push({ path, agent: headers['user-agent'] ?? '', authorization: headers.authorization });
    try {
      const accept = headers.accept ?? '*/*';
      const answer = await fetch(new URL(path.slice(1), behind), { headers: { accept } });
      const type = answer.headers.get('content-type') ?? '';
      const isJson = type.includes('json');
      const body = isJson
        ? (await answer.text()).replaceAll(behind, url)
        : Buffer.from(await answer.arrayBuffer());
      response.writeHead(request.method === 'GET' ? answer.status : 404, { 'content-type': type }).end(body);
    } catch {
      response.writeHead(502).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, asked, close };
}
