import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { openapiPath } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { assertDocumented, openapiText } from '../support/http/openapi-answers.ts';
import { withHttpService } from '../support/http/service.ts';

const pages = ['page.css', 'page.js', 'snippets.js', 'swagger-ui.css', 'swagger-ui.js'];
const types = {
  '/docs': 'text/html',
  ...Object.fromEntries(
    pages.map((name) => [`/docs/${name}`, name.endsWith('css') ? 'text/css' : 'text/javascript']),
  ),
  [openapiPath]: 'application/json',
};

describe('the page at /docs, and the OpenAPI document', () => {
  const service = withHttpService();
  async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const { port } = service();
    const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
    request({ port, host: '127.0.0.1', path, method, headers, agent: false }, resolve)
      .on('error', reject)
      .end();
    const response = await promise;
    const { statusCode: status = 0, headers: told } = response;
    const bytes = await buffer(response);
    if (path === openapiPath)
      assertDocumented({ status, headers: told, body: `${bytes}` }, method === 'HEAD');
    return { status, headers: told, bytes };
  }

  for (const [path, type] of Object.entries(types)) {
    it(`${path} is there without a key, and has its type`, async () => {
      const { status, headers, bytes } = await get(path);
      expect(status).to.equal(200);
      const common = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
      expect(headers).to.include({
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-store, no-transform',
        ...common,
      });
      expect(headers['content-length']).to.equal(String(bytes.length));
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
      expect(head.headers['content-length']).to.equal(headers['content-length']);
      for (const [method, status] of Object.entries({ POST: 405, OPTIONS: 204 })) {
        const other = await get(path, {}, method);
        expect([other.status, other.headers.allow]).to.deep.equal([status, 'GET, HEAD']);
      }
    });
  }

  it('the page lets in nothing from elsewhere, nothing written into the page, and no page around it', async () => {
    const { headers, bytes } = await get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).to.include("frame-ancestors 'none'");
    expect(policy).not.to.include('unsafe');
    expect(bytes.toString()).not.to.match(/https?:|<style|style=|<script(?! (?:type="module" )?src)/);
  });

  it('large files are compressed for all, since a few bytes ask for them', async () => {
    for (const path of ['/docs/swagger-ui.js', '/docs/swagger-ui.css']) {
      const { headers, bytes } = await get(path, { 'Accept-Encoding': 'identity' });
      expect(headers['content-encoding'], path).to.equal('gzip');
      expect(gunzipSync(bytes).length).to.be.above(3 * bytes.length);
    }
  });

  it('gives away no other file, and the document as it is', async () => {
    expect(JSON.parse((await get(openapiPath)).bytes.toString())).to.deep.equal(JSON.parse(openapiText));
    for (const path of [
      ...['/docs/', '/docs/../package.json', '/docs/%2e%2e/package.json', '/DOCS'],
      ...['/docs/package.json', '/docs//page.js', '/docs/constructor'],
    ])
      expect((await get(path)).status, path).to.equal(404);
  });
});
