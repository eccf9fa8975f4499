import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { httpServer } from '../http/http-server.ts';

export type CompanyRegistry = Awaited<ReturnType<typeof companyRegistry>>;

/**
 * A registry in front of the one that this machine uses, as companies have them: it hands on what it is asked for, and keeps
 * it. In place of a package in `forged` it gives that tarball, with its own hash.
 */
export async function companyRegistry() {
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const asked: { path: string; authorization: string | undefined }[] = [];
  const kept = new Map<string, Response>();
  const forged = new Map<string, Buffer>();
  const server = await httpServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const { accept = '*/*', authorization } = headers;
    asked.push({ path, authorization });
    try {
      const same = `${accept} ${path}`;
      const answer = kept.get(same) ?? (await fetch(new URL(path.slice(1), behind), { headers: { accept } }));
      if (answer.ok) kept.set(same, answer);
      const type = answer.headers.get('content-type') ?? '';
      const body = Buffer.from(await answer.clone().arrayBuffer());
      response.writeHead(request.method === 'GET' ? answer.status : 404, { 'content-type': type });
      const [, tarball] = [...forged].find(([name]) => decodeURIComponent(path).startsWith(`/${name}`)) ?? [];
      const told = () => body.toString().replaceAll(behind, url);
      if (!type.includes('json')) response.end(tarball ?? body);
      else response.end(tarball ? told().replaceAll(/"sha512-[^"]*"/g, hashOf(tarball)) : told());
    } catch {
      response.writeHead(502).end();
    }
  });
  const url = `${server.url}/`;
  return { url, asked, forged, close: server.close };
}

const hashOf = (tarball: Buffer) => `"sha512-${hash('sha512', tarball, 'base64')}"`;
