import { openapiPath, setMirrorRoute } from '@campaign-mirror/adapters-http';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { expect } from 'chai';
import { rows } from '../support/http/answer-rows.ts';
import { assertDocumented, faultsOfAnswer } from '../support/http/openapi-answers.ts';
import { openapiDocument, openapiFile, openapiText } from '../support/http/openapi-file.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { filesIn, projectFolder, read } from '../support/workspace.ts';

interface Operation {
  readonly responses: Record<
    string,
    { content?: Record<string, { examples: Record<string, { value: unknown }> }> }
  >;
}
const post = (openapiDocument.paths as Record<string, { post: Operation }>)[setMirrorRoute]?.post;
const examples = Object.entries(post?.responses ?? {}).flatMap(([status, { content }]) =>
  Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) => ({
    status: Number(status),
    body: JSON.stringify(value),
  })),
);

describe('the OpenAPI document', () => {
  it('Redocly finds nothing in it', async () => {
    const config = await loadConfig({ configPath: `${projectFolder}redocly.yaml` });
    const lint = async (source: string) => {
      const found = await lintFromString({ source, absoluteRef: openapiFile, config });
      return found.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
    };
    expect(await lint(openapiText)).to.deep.equal([]);
    const { paths: _, ...without } = openapiDocument;
    expect(await lint(JSON.stringify(without))).not.to.deep.equal([]);
  });

  it('has the version of the program', async () => {
    const manifests = (await filesIn('packages')).filter((path) => path.endsWith('/package.json'));
    const texts = await Promise.all(['package.json', ...manifests].map(read));
    const versions = texts.map((text) => JSON.parse(text).version);
    const { version } = openapiDocument.info as { version: string };
    expect(versions.filter((one) => one !== version)).to.deep.equal([]);
  });

  it('each example is as its schema has it', () => {
    for (const { status, body } of examples) {
      const { headers } = exampleAnswer;
      const needed = { 'www-authenticate': 'Bearer', allow: 'POST', 'retry-after': '1', ...ofRate };
      const all = { ...headers, ...(status === 401 || status === 405 || status >= 429 ? needed : {}) };
      const faults = faultsOfAnswer('POST', '/', { status, headers: all, body });
      expect(faults.filter((fault) => !fault.includes('is not described'))).to.deep.equal([]);
    }
  });

  it('every message of the contract is an example of its status', () => {
    // What a caller chose is another text in each.
    const plain = (body: string) =>
      body
        .replace(/\[Campaign\] \S+?"/, '')
        .replace(/route \S+ could/, '')
        .replace(/The \w+ method/, '');
    const told = examples.map(({ status, body }) => `${status} ${plain(body)}`);
    const expected = rows.map(({ status, body }) => `${status} ${plain(body)}`);
    const internal = ['503 {"message":"Service Unavailable"}', '500 {"message":"Server Error"}'];
    expect(told).to.include.members([...expected, ...internal]);
  });

  const ofRate = { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' };
  const exampleAnswer = {
    status: 403,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'a',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: '{"message":"This action is unauthorized."}',
  };
  const { 'x-request-id': _, ...withoutId } = exampleAnswer.headers;
  it('the check of every answer finds a status, a header and a body that it does not tell of', () => {
    expect(() => assertDocumented(exampleAnswer)).not.to.throw();
    for (const change of [{ status: 402 }, { headers: withoutId }, { body: '{"message":"x","why":"y"}' }])
      expect(() => assertDocumented({ ...exampleAnswer, ...change })).to.throw('openapi.json does not tell');
  });
});

describe('the OpenAPI document, served', () => {
  const service = withHttpService();
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    ask(service(), {
      method,
      target: openapiPath,
      body: undefined,
      headers: { Authorization: undefined, 'Content-Type': undefined, ...headers },
    });

  it('is there without a key, for everybody the same, and asked for anew', async () => {
    const { status, headers, body } = await get();
    expect([status, headers['cache-control']]).to.deep.equal([200, 'no-cache']);
    expect(headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(JSON.parse(body)).to.deep.equal(JSON.parse(openapiText));
  });

  it('is sent again only when it has changed', async () => {
    const { headers } = await get();
    const etag = String(headers.etag);
    for (const list of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const { status, body, headers: unchanged } = await get({ 'If-None-Match': list });
      expect([status, body], list).to.deep.equal([304, '']);
      expect(unchanged).to.include({ etag, vary: 'Accept-Encoding' });
    }
    for (const list of ['"other"', '', etag.slice(0, -2)]) {
      expect((await get({ 'If-None-Match': list })).status, list).to.equal(200);
    }
  });

  it('HEAD has the headers only, other methods are 405, OPTIONS is 204', async () => {
    const { date: _, 'x-request-id': __, ...expected } = (await get()).headers;
    const { headers, status, body } = await get({}, 'HEAD');
    const { date: ___, 'x-request-id': ____, ...others } = headers;
    expect([status, body]).to.deep.equal([200, '']);
    expect(others).to.deep.equal(expected);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
      const refused = await get({}, method);
      expect([refused.status, refused.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
      expect(refused.body).to.equal(
        `{"message":"The ${method} method is not supported for this route. Supported methods: GET, HEAD."}`,
      );
    }
    const options = await get({}, 'OPTIONS');
    expect([options.status, options.headers.allow, options.body]).to.deep.equal([204, 'GET, HEAD', '']);
  });
});
