import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { httpServer } from '../http/http-server.ts';

export type CompanyRegistry = Awaited<ReturnType<typeof companyRegistry>>;

/**
 * A caching registry in front of this machine's, as companies have one. For a package in `forged` it answers with that
 * tarball and its hash.
 */
export async function companyRegistry() {
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const asked: { path: string; authorization: string | undefined }[] = [];
  const cache = new Map<string, Response>();
  const forged = new Map<string, Buffer>();
  const server = await httpServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const { accept = '*/*', authorization } = headers;
    asked.push({ path, authorization });
    try {
      const key = `${accept} ${path}`;
      const answer = cache.get(key) ?? (await fetch(new URL(path.slice(1), behind), { headers: { accept } }));
      if (answer.ok) cache.set(key, answer);
      const type = answer.headers.get('content-type') ?? '';
      const body = Buffer.from(await answer.clone().arrayBuffer());
      response.writeHead(request.method === 'GET' ? answer.status : 404, { 'content-type': type });
      const [, tarball] = [...forged].find(([name]) => decodeURIComponent(path).startsWith(`/${name}`)) ?? [];
      if (!type.includes('json')) return response.end(tarball ?? body);
      const text = body.toString().replaceAll(behind, url);
      const sha512 = tarball && hash('sha512', tarball, 'base64');
      response.end(sha512 ? text.replaceAll(/"sha512-[^"]*"/g, `"sha512-${sha512}"`) : text);
    } catch {
      response.writeHead(502).end();
    }
  });
  const url = `${server.url}/`;
  return { url, asked, forged, close: server.close };
}
