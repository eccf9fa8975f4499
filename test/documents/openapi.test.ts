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
type Content = Record<string, { examples: Record<string, { value: unknown }> }>;
const responses: Record<string, { content?: Content }> = paths[setMirrorRoute].post.responses;

describe(`the OpenAPI document describes the service (SEED=${seed})`, () => {
  const service = withHttpService();

  it('it has the version of the program, Redocly accepts it, and every integer has 64 bits', async () => {
    expect(JSON.parse(await read('package.json')).version).to.equal(info.version);
    const config = await loadConfig({ configPath: `${projectFolder}redocly.yaml` });
    const found = await lintFromString({ source: openapiText, absoluteRef: openapiFile, config });
    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).to.deep.equal([]);
    expect(openapiText).not.to.match(/"integer"(?!,\s*"format": "int64")/);
  });

  it('it shows every message of the contract as an example of its status', () => {
    // Without the parts that the caller chooses.
    const plain = (body: string) => body.replace(/\[Campaign\] \S+?"|route \S+ could|The \w+ method/, '');
    const shown = Object.entries(responses).flatMap(([status, { content }]) =>
      Object.values(content?.['application/json']?.examples ?? {}).map(
        ({ value }) => `${status} ${plain(JSON.stringify(value))}`,
      ),
    );
    expect(shown).to.include.members(rows.map(({ status, body }) => `${status} ${plain(body)}`));
    expect(shown).to.include.members([
      '503 {"message":"Service Unavailable"}',
      '500 {"message":"Server Error"}',
    ]);
  });

  it('a body that it forbids is 422, and the address of a 200 is stored as sent', async () => {
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
    const property = fc.asyncProperty(body, async (value) => {
      const answer = await ask(service(), { body: JSON.stringify(value) });
      expect(answer.status).to.be.oneOf(isAllowedBody(value) ? [200, 422] : [422]);
      if (answer.status === 200)
        expect(JSON.parse(answer.body).mirror.target_url).to.equal(Object(value).mirror_endpoint);
    });
    await fc.assert(property, { seed, numRuns: 300 });
  });
});
