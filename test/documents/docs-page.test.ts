import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { openapiPath } from '@campaign-mirror/adapters-http/docs';
import { expect } from 'chai';
import { openapiText } from '../support/http/openapi-answers.ts';
import { withHttpService } from '../support/http/service.ts';

const pages = ['page.css', 'page.js', 'labels.js', 'snippets.js', 'swagger-ui.css', 'swagger-ui.js'];
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
    return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
  }

  for (const [path, type] of Object.entries(types)) {
    it(`${path} is there without a key, has its type, and is sent again only when it has changed`, async () => {
      const { status, headers, bytes } = await get(path);
      expect(status).to.equal(200);
      const common = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
      expect(headers).to.include({
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-cache',
        ...common,
      });
      expect(headers['content-length']).to.equal(String(bytes.length));
      const etag = String(headers.etag);
      for (const list of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
        const unchanged = await get(path, { 'If-None-Match': list });
        expect([unchanged.status, unchanged.bytes.length], list).to.deep.equal([304, 0]);
        for (const name of ['cache-control', 'etag', 'vary', 'content-security-policy'])
          expect(unchanged.headers[name], name).to.equal(headers[name]);
      }
      expect((await get(path, { 'If-None-Match': '"other"' })).status).to.equal(200);
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

  it('its large files are sent compressed only, since a few bytes ask for them', async () => {
    for (const path of ['/docs/swagger-ui.js', '/docs/swagger-ui.css'])
      for (const headers of [{}, { 'Accept-Encoding': 'identity' }, { 'Accept-Encoding': 'gzip' }]) {
        const answer = await get(path, headers);
        expect([answer.status, answer.headers['content-encoding']]).to.deep.equal([200, 'gzip']);
        expect(gunzipSync(answer.bytes).length).to.be.above(3 * answer.bytes.length);
      }
  });

  it('is compressed for those who accept that', async () => {
    const path = '/docs/page.js';
    const plain = await get(path);
    const gzip = ['gzip', 'br, gzip;q=0.8'];
    const none = ['identity', 'gzip;q=0'];
    for (const accepted of [...gzip, ...none]) {
      const { headers, bytes } = await get(path, { 'Accept-Encoding': accepted });
      expect(headers['content-encoding'], accepted).to.equal(gzip.includes(accepted) ? 'gzip' : undefined);
      const whole = gzip.includes(accepted) ? gunzipSync(bytes) : bytes;
      expect(whole.equals(plain.bytes), accepted).to.equal(true);
      expect(headers.vary).to.equal('Accept-Encoding');
      expect(headers.etag).to.equal(plain.headers.etag);
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
