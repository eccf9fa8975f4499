import { execFileSync } from 'node:child_process';
import { httpServer } from '../http/http-server.ts';

export type CompanyRegistry = Awaited<ReturnType<typeof companyRegistry>>;

/** A registry in front of the one that this machine uses, as companies have them: it hands on what it is asked for. */
export async function companyRegistry() {
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = await httpServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const { accept = '*/*', authorization } = headers;
    asked.push({ path, authorization });
    try {
      const answer = await fetch(new URL(path.slice(1), behind), { headers: { accept } });
      const type = answer.headers.get('content-type') ?? '';
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(request.method === 'GET' ? answer.status : 404, { 'content-type': type });
      response.end(type.includes('json') ? body.toString().replaceAll(behind, url) : body);
    } catch {
      response.writeHead(502).end();
    }
  });
  const url = `${server.url}/`;
  return { url, asked, close: server.close };
}
