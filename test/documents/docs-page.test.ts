import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openapiPath } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { openapiText } from '../support/http/openapi-answers.ts';
import { withHttpService } from '../support/http/service.ts';

describe('the page at /docs and the OpenAPI document are served to everybody, and nothing else is', () => {
  const service = withHttpService();
  async function get(path: string, method = 'GET') {
    const { port } = service();
    const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
    request({ port, host: '127.0.0.1', path, method, agent: false }, resolve).on('error', reject).end();
    const response = await promise;
    const { statusCode: status = 0, headers: answered } = response;
    const bytes = await buffer(response);
    return { status, headers: answered, bytes };
  }

  for (const [path, type] of [
    ['/docs', 'text/html'],
    ['/docs/page.css', 'text/css'],
    ['/docs/page.js', 'text/javascript'],
    [openapiPath, 'application/json'],
  ] as const)
    it(`${path} is served as ${type} to GET and HEAD alone`, async () => {
      const { status, headers, bytes } = await get(path);
      expect(status).to.equal(200);
      expect(headers).to.include({
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-store, no-transform',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      const head = await get(path, 'HEAD');
      expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
      expect(head.headers['content-length']).to.equal(String(bytes.length));
      for (const [method, status] of Object.entries({ POST: 405, OPTIONS: 204 })) {
        const other = await get(path, method);
        expect([other.status, other.headers.allow]).to.deep.equal([status, 'GET, HEAD']);
      }
    });

  it('the page loads nothing from elsewhere, runs no inline script, and fits in no frame', async () => {
    const { headers, bytes } = await get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).to.include("frame-ancestors 'none'");
    expect(policy).not.to.include('unsafe');
    expect(bytes.toString()).not.to.match(/https?:|<style|style=|<script(?! (?:type="module" )?src)/);
  });

  it('the document is served as in the source; other files are 404', async () => {
    expect(JSON.parse((await get(openapiPath)).bytes.toString())).to.deep.equal(JSON.parse(openapiText));
    const others = ['/docs/', '/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/constructor'];
    for (const path of others) expect((await get(path)).status, path).to.equal(404);
  });
});
