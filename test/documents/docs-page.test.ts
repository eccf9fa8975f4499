import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

interface Got {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly bytes: Buffer;
}

const types = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/page.css': 'text/css; charset=utf-8',
  '/docs/page.js': 'text/javascript; charset=utf-8',
  '/docs/labels.js': 'text/javascript; charset=utf-8',
  '/docs/snippets.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui.js': 'text/javascript; charset=utf-8',
};

describe('the page at /docs', () => {
  const service = withHttpService();
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Got>((resolve, reject) => {
      const sent = request({ port: service().port, host: '127.0.0.1', path, method, headers, agent: false });
      sent.on('error', reject).on('response', (response) => {
        const pieces: Buffer[] = [];
        const { statusCode: status, headers: got } = response;
        response
          .on('data', (piece) => pieces.push(piece))
          .on('end', () => resolve({ status, headers: got, bytes: Buffer.concat(pieces) }));
      });
      sent.end();
    });

  for (const [path, type] of Object.entries(types)) {
    it(`${path} has its type, and is sent again only when it has changed`, async () => {
      const { status, headers, bytes } = await get(path);
      expect([status, headers['content-type'], headers['cache-control']]).to.deep.equal([
        200,
        type,
        'no-cache',
      ]);
      expect(headers).to.include({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      expect(headers['content-length']).to.equal(String(bytes.length));
      const unchanged = await get(path, { 'If-None-Match': String(headers.etag) });
      expect([unchanged.status, unchanged.bytes.length]).to.deep.equal([304, 0]);
      for (const name of ['cache-control', 'etag', 'vary', 'content-security-policy'])
        expect(unchanged.headers[name], name).to.equal(headers[name]);
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.headers['content-length'], head.bytes.length]).to.deep.equal([
        ...[200, headers['content-length'], 0],
      ]);
      expect((await get(path, {}, 'POST')).headers.allow).to.equal('GET, HEAD');
    });
  }

  it('lets in nothing from elsewhere, nothing written into the page, and no page around it', async () => {
    const { headers, bytes } = await get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).to.include("frame-ancestors 'none'");
    expect(policy).not.to.include('unsafe');
    expect(bytes.toString()).not.to.match(/https?:|<style|style=|<script(?! (?:type="module" )?src)/);
  });

  it('is compressed for those who take that', async () => {
    const path = '/docs/swagger-ui.js';
    const plain = await get(path);
    for (const taken of ['gzip', 'br, gzip;q=0.8', 'deflate, GZIP']) {
      const { headers, bytes } = await get(path, { 'Accept-Encoding': taken });
      expect([headers['content-encoding'], headers.vary], taken).to.deep.equal(['gzip', 'Accept-Encoding']);
      expect(gunzipSync(bytes).equals(plain.bytes)).to.equal(true);
      expect(headers.etag).to.equal(plain.headers.etag);
    }
    for (const refused of ['', 'identity', 'gzip;q=0', 'gzip;q=0.0, br', 'xgzip']) {
      const { headers } = await get(path, { 'Accept-Encoding': refused });
      expect([headers['content-encoding'], headers.vary], refused).to.deep.equal([
        undefined,
        'Accept-Encoding',
      ]);
    }
  });

  it('gives away no other file', async () => {
    for (const target of [
      ...['/docs/', '/docs/index.html', '/docs/../package.json', '/docs/%2e%2e/package.json', '/DOCS'],
      ...['/docs/swagger-ui-bundle.js.map', '/docs/package.json', '/docs//page.js', '/docs/constructor'],
    ]) {
      expect((await ask(service(), { target, method: 'GET', body: undefined })).status, target).to.equal(404);
    }
  });

  it('its log line has its path as the route', async () => {
    await get('/docs/page.css?secret', { 'X-Request-Id': 'styled' });
    const line = await service().log.line('styled');
    expect(line).to.include({ route: '/docs/page.css', method: 'GET', status: 200 });
  });
});
