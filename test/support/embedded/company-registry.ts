import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { httpServer } from '../http/http-server.ts';

export type CompanyRegistry = Awaited<ReturnType<typeof companyRegistry>>;

/**
 * A registry in front of the one that this machine uses, as companies have them: it hands on what it is asked for. In place
 * of the package `forged.name` it gives `forged.tarball`, with that one's own hash.
 */
export async function companyRegistry() {
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const asked: { path: string; authorization: string | undefined }[] = [];
  const forged = { name: '', tarball: Buffer.of() };
  const server = await httpServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const { accept = '*/*', authorization } = headers;
    asked.push({ path, authorization });
    try {
      const answer = await fetch(new URL(path.slice(1), behind), { headers: { accept } });
      const type = answer.headers.get('content-type') ?? '';
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(request.method === 'GET' ? answer.status : 404, { 'content-type': type });
      const isForged = forged.name !== '' && decodeURIComponent(path).startsWith(`/${forged.name}`);
      const hash = `"sha512-${createHash('sha512').update(forged.tarball).digest('base64')}"`;
      const told = () => body.toString().replaceAll(behind, url);
      if (!type.includes('json')) response.end(isForged ? forged.tarball : body);
      else response.end(isForged ? told().replaceAll(/"sha512-[^"]*"/g, hash) : told());
    } catch {
      response.writeHead(502).end();
    }
  });
  const url = `${server.url}/`;
  return { url, asked, forged, close: server.close };
}
