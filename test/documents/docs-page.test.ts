import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { openapiPath } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { openapiText } from '../support/http/openapi-file.ts';
import { withHttpService } from '../support/http/service.ts';

const types = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/page.css': 'text/css; charset=utf-8',
  '/docs/page.js': 'text/javascript; charset=utf-8',
  '/docs/labels.js': 'text/javascript; charset=utf-8',
  '/docs/snippets.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui.js': 'text/javascript; charset=utf-8',
  [openapiPath]: 'application/json; charset=utf-8',
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
      expect(headers).to.include({ 'content-type': type, 'cache-control': 'no-cache', ...common });
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
      const refused = await get(path, {}, 'POST');
      expect([refused.status, refused.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
      const options = await get(path, {}, 'OPTIONS');
      expect([options.status, options.headers.allow]).to.deep.equal([204, 'GET, HEAD']);
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

  it('is compressed for those who accept that', async () => {
    const path = '/docs/swagger-ui.js';
    const plain = await get(path);
    const [gzip, none] = [
      ['gzip', 'br, gzip;q=0.8', 'deflate, GZIP'],
      ['', 'identity', 'gzip;q=0', 'xgzip'],
    ];
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
      ...['/docs/', '/docs/index.html', '/docs/../package.json', '/docs/%2e%2e/package.json', '/DOCS'],
      ...['/docs/swagger-ui-bundle.js.map', '/docs/package.json', '/docs//page.js', '/docs/constructor'],
    ])
      expect((await get(path)).status, path).to.equal(404);
  });

  it('its log line has its path as the route', async () => {
    await get('/docs/page.css?secret', { 'X-Request-Id': 'styled' });
    const line = await service().log.line('styled');
    expect(line).to.include({ route: '/docs/page.css', method: 'GET', status: 200 });
  });
});
