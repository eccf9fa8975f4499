import { setMirrorRoute } from '@campaign-mirror/adapters-http/service';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { rows } from '../support/http/answer-rows.ts';
import { isAllowedBody, openapiFile, openapiText } from '../support/http/openapi-answers.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { seed } from '../support/seed.ts';
import { projectFolder, read } from '../support/workspace.ts';

const { info, paths, components } = JSON.parse(openapiText);
const responses: Record<
  string,
  { content?: Record<string, { examples: Record<string, { value: unknown }> }> }
> = paths[setMirrorRoute].post.responses;
const examples = Object.entries(responses).flatMap(([status, { content }]) =>
  Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) => ({
    status: Number(status),
    body: JSON.stringify(value),
  })),
);

describe(`the OpenAPI document (SEED=${seed})`, () => {
  const service = withHttpService();

  it('has the version of the program, and Redocly finds nothing in it', async () => {
    expect(JSON.parse(await read('package.json')).version).to.equal(info.version);
    const config = await loadConfig({ configPath: `${projectFolder}redocly.yaml` });
    const found = await lintFromString({ source: openapiText, absoluteRef: openapiFile, config });
    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).to.deep.equal([]);
  });

  it('has every message of the contract as an example of its status', () => {
    // What a caller chose is another text in each.
    const plain = (body: string) => body.replace(/\[Campaign\] \S+?"|route \S+ could|The \w+ method/, '');
    const told = examples.map(({ status, body }) => `${status} ${plain(body)}`);
    expect(told).to.include.members(rows.map(({ status, body }) => `${status} ${plain(body)}`));
    expect(told).to.include('503 {"message":"Service Unavailable"}');
    expect(told).to.include('500 {"message":"Server Error"}');
  });

  it('has 64 bits for every integer, since all may exceed 2^31', () => {
    expect(openapiText.match(/"integer"/g)).to.have.length.above(10);
    expect(openapiText).not.to.match(/"integer"(?!,\s*"format": "int64")/);
  });

  it('a body that it does not allow is 422, and one that is answered 200 is stored as it was sent', async () => {
    const { pattern, maxLength } = components.schemas.MirrorUpdate.properties.mirror_endpoint;
    const first = 'https://a.example/';
    const address = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.stringMatching(new RegExp(pattern), { maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `https://example.com/${text}`),
      fc.integer({ min: maxLength - 3, max: maxLength + 3 }).map((length) => first.padEnd(length, 'ü')),
    );
    const body = fc.oneof(
      { weight: 4, arbitrary: address.map((mirror_endpoint) => ({ mirror_endpoint })) },
      fc.record({ mirror_endpoint: fc.jsonValue() }, { requiredKeys: [] }),
      fc.jsonValue(),
    );
    const counts = { 200: 0, 422: 0 };
    const property = fc.asyncProperty(body, async (value) => {
      const answer = await ask(service(), { body: JSON.stringify(value) });
      expect(answer.status).to.be.oneOf([200, 422]);
      counts[answer.status as 200 | 422] += 1;
      if (!isAllowedBody(value)) expect(answer.status, JSON.stringify(value)).to.equal(422);
      if (answer.status !== 200) return;
      const { mirror_endpoint } = value as { mirror_endpoint: string };
      expect(JSON.parse(answer.body).mirror.target_url).to.equal(mirror_endpoint);
    });
    await fc.assert(property, { seed, numRuns: 300 });
    expect(counts[200]).to.be.above(50);
    expect(counts[422]).to.be.above(25);
  });
});
