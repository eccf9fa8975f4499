import { setMirrorRoute } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { faultsOfAnswer, isAllowedBody } from '../support/http/openapi-answers.ts';
import { openapiDocument } from '../support/http/openapi-file.ts';
import { type Asking, ask } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';
import { seed } from '../support/seed.ts';

const { campaign } = (
  openapiDocument.components as { parameters: { campaign: { schema: { minimum: number; maximum: number } } } }
).parameters;
const { MirrorUpdate } = (
  openapiDocument.components as {
    schemas: { MirrorUpdate: { properties: { mirror_endpoint: { pattern: string; maxLength: number } } } };
  }
).schemas;
const { pattern, maxLength } = MirrorUpdate.properties.mirror_endpoint;

/** What the document calls an address, and what it nearly calls one. */
const address = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.stringMatching(new RegExp(pattern), { maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `https://example.com/${text}`),
  fc
    .integer({ min: maxLength - 3, max: maxLength + 3 })
    .map((length) => 'https://a.example/'.padEnd(length, 'ü')),
);
const body = fc.oneof(
  { weight: 4, arbitrary: address.map((mirror_endpoint) => ({ mirror_endpoint })) },
  fc.record({ mirror_endpoint: fc.jsonValue() }, { requiredKeys: [] }),
  fc.jsonValue(),
);
const bytes = fc.oneof(
  { weight: 6, arbitrary: body.map((value) => Buffer.from(JSON.stringify(value))) },
  fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some)),
);
const segment = fc.oneof(
  fc.constant('own'),
  fc.constantFrom('foreign', 'default', 'withoutMirror'),
  fc.integer({ min: campaign.schema.minimum, max: campaign.schema.maximum }).map(String),
  fc.string({ minLength: 1, maxLength: 80 }).map(encodeURIComponent),
);
const key = fc.oneof(
  { weight: 6, arbitrary: fc.constant('valid') },
  fc.constantFrom('unknown', 'expired', 'revoked'),
  fc.stringMatching(/^[!-~]{0,60}$/),
);
const requestId = fc.option(fc.stringMatching(/^[!-~]{1,128}$/), { nil: undefined });
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant('POST') },
  fc.constantFrom('GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'),
);

const requests = fc.record({ method, segment, key, requestId, bytes });
type Generated = typeof requests extends fc.Arbitrary<infer One> ? One : never;

describe(`requests generated from the OpenAPI document (SEED=${seed})`, () => {
  const service = withHttpService();

  function asking({ campaigns, keys }: HttpService, one: Generated): Asking {
    const named = campaigns as Readonly<Record<string, number>>;
    const known = keys as Readonly<Record<string, string>>;
    return {
      method: one.method,
      campaign: Object.hasOwn(named, one.segment) ? Number(named[one.segment]) : one.segment,
      headers: {
        Authorization: `Bearer ${Object.hasOwn(known, one.key) ? known[one.key] : one.key}`.trim(),
        'X-Request-Id': one.requestId,
      },
      body: one.bytes,
    };
  }

  it('each is answered as the document has it, and none with 500 or 503', async () => {
    const seen = new Set<number>();
    const property = fc.asyncProperty(requests, async (one) => {
      const answer = await ask(service(), asking(service(), one));
      seen.add(answer.status);
      expect(faultsOfAnswer(one.method, setMirrorRoute, answer)).to.deep.equal([]);
      expect(answer.status).to.be.below(500);
      if (one.requestId !== undefined) expect(answer.headers['x-request-id']).to.equal(one.requestId);
    });
    await fc.assert(property, { seed, numRuns: 300 });
    expect([...seen]).to.include.members([200, 204, 400, 401, 403, 404, 405, 422]);
    expect(service().log.faults).to.deep.equal([]);
  });

  it('the body of a call that is answered 200 is one that the document allows, and one that it does not is 422', async () => {
    const counts = { 200: 0, 422: 0 };
    const property = fc.asyncProperty(body, async (value) => {
      const { status, body: text } = await ask(service(), { body: JSON.stringify(value) });
      expect(status).to.be.oneOf([200, 422]);
      counts[status as 200 | 422] += 1;
      if (!isAllowedBody(value)) expect(status, JSON.stringify(value)).to.equal(422);
      if (status !== 200) return;
      const { mirror_endpoint } = value as { mirror_endpoint: string };
      expect(JSON.parse(text).mirror.target_url).to.equal(mirror_endpoint);
    });
    await fc.assert(property, { seed, numRuns: 300 });
    expect(counts[200]).to.be.above(50);
    expect(counts[422]).to.be.above(25);
  });
});
