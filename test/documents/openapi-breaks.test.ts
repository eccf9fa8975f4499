import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { breaks, type Document } from '../support/openapi-breaks.ts';
import { currentText } from '../support/openapi-file.ts';
import { lastCommitted } from '../support/openapi-history.ts';

const document = (): Document => JSON.parse(currentText);
const route = '/public/v1/mirror/campaign/{campaign}/mirror';
const call = `POST ${route}`;
const majorOf = ({ info }: Document) => Number(info?.version?.split('.')[0]);

/** The current document with the value at a path of keys replaced; undefined takes the key away. */
function changed(way: readonly string[], value: unknown): Document {
  const copy = document();
  let inside = copy as Record<string, unknown>;
  for (const key of way.slice(0, -1)) inside = inside[key] as Record<string, unknown>;
  const last = way.at(-1) ?? '';
  if (value === undefined) delete inside[last];
  else inside[last] = value;
  return copy;
}

const post = ['paths', route, 'post'];
const schemas = ['components', 'schemas'];
const endpoint = [...schemas, 'MirrorUpdate', 'properties', 'mirror_endpoint'];
const mirror = [...schemas, 'Mirror', 'properties'];

const breaking: Record<string, [readonly string[], unknown, string]> = {
  'a path that is gone': [['paths', route], undefined, `${call} is gone`],
  'an answer that is gone': [[...post, 'responses', '403'], undefined, `${call} has no answer 403 any more`],
  'a header that is gone': [
    [...post, 'responses', '503', 'headers', 'Retry-After'],
    undefined,
    `${call} 503 has no header Retry-After any more`,
  ],
  'a header that may be missing': [
    [...post, 'responses', '503', 'headers', 'Retry-After', 'required'],
    false,
    `${call} 503 may be without the header Retry-After`,
  ],
  'another media type of an answer': [
    [...post, 'responses', '200', 'content'],
    { 'application/xml': {} },
    `${call} 200 is not application/json any more`,
  ],
  'another media type of the request': [
    [...post, 'requestBody', 'content'],
    { 'application/xml': {} },
    `${call} does not take application/json any more`,
  ],
  'a new parameter that is needed': [
    ['components', 'parameters', 'requestId', 'required'],
    true,
    `${call} needs the parameter header X-Request-Id`,
  ],
  'a parameter of a narrower type': [
    ['components', 'parameters', 'campaign', 'schema', 'maximum'],
    1000,
    `${call} parameter path campaign: maximum 9007199254740991 does not fit 1000`,
  ],
  'a new field that is needed': [
    [...schemas, 'MirrorUpdate', 'required'],
    ['mirror_endpoint', 'reason'],
    `${call} request.reason is needed, and may be missing`,
  ],
  'a field of the request that is gone': [
    [...schemas, 'MirrorUpdate', 'properties'],
    {},
    `${call} request.mirror_endpoint is gone`,
  ],
  'a shorter field of the request': [
    [...endpoint, 'maxLength'],
    100,
    `${call} request.mirror_endpoint: maxLength 2048 does not fit 100`,
  ],
  'another type of a field of the request': [
    [...endpoint, 'type'],
    'integer',
    `${call} request.mirror_endpoint: the type string does not fit integer`,
  ],
  'another pattern of the request': [
    [...endpoint, 'pattern'],
    '^https:',
    `${call} request.mirror_endpoint: pattern`,
  ],
  'a field of an answer that is gone': [
    [...mirror, 'clicks'],
    undefined,
    `${call} 200 answer.mirror.clicks is gone`,
  ],
  'a field of an answer that may be missing': [
    [...schemas, 'Error', 'required'],
    [],
    `${call} 400 answer.message is needed, and may be missing`,
  ],
  'a wider type of a field of an answer': [
    [...mirror, 'updated_at', 'type'],
    ['string', 'null'],
    `${call} 200 answer.mirror.updated_at: the type null does not fit string`,
  ],
  'another authentication': [[...post, 'security'], [], `${call} is authenticated in another way`],
};

const harmless: Record<string, [readonly string[], unknown]> = {
  'a further path': [['paths', '/public/v1/more'], { get: { responses: {} } }],
  'a further answer': [[...post, 'responses', '402'], { description: 'Pay.' }],
  'a further header of an answer': [[...post, 'responses', '200', 'headers', 'X-More'], { schema: {} }],
  'a further field of an answer': [[...mirror, 'note'], { type: 'string' }],
  'a further field of the request': [[...schemas, 'MirrorUpdate', 'properties', 'note'], { type: 'string' }],
  'a longer field of the request': [[...endpoint, 'maxLength'], 4096],
  'a shorter field of an answer': [[...mirror, 'target_url', 'maxLength'], 1000],
  'other words': [[...post, 'description'], 'Set it.'],
};

describe('changes of the OpenAPI document', () => {
  it('nothing breaks those who call by the last committed document, unless its major version is another', async () => {
    const now = document();
    const before = await lastCommitted();
    const found = before && majorOf(before) === majorOf(now) ? breaks(before, now) : [];
    expect(found, 'take it back, or raise the first number of the version of the interface').to.deep.equal(
      [],
    );
  });

  for (const [name, [way, value, expected]] of Object.entries(breaking)) {
    it(`${name} breaks callers`, () => {
      const found = breaks(document(), changed(way, value));
      expect(found.filter((one) => one.startsWith(expected))).not.to.deep.equal([], found.join('\n'));
    });
  }

  for (const [name, [way, value]] of Object.entries(harmless)) {
    it(`${name} breaks nobody`, () => {
      expect(breaks(document(), changed(way, value))).to.deep.equal([]);
    });
  }

  it('the last committed document is the newest that is not the present one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-history-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
    try {
      expect(await lastCommitted(folder, 'x'), 'without a repository').to.equal(undefined);
      git('init', '-q');
      for (const version of [1, 2, 3]) {
        await writeFile(join(folder, 'openapi.json'), JSON.stringify({ version }));
        git('add', '.');
        git('commit', '-q', '-m', `Version ${version}`);
      }
      expect(await lastCommitted(folder, '{"version":3}')).to.deep.equal({ version: 2 });
      expect(await lastCommitted(folder, '{"version":4}')).to.deep.equal({ version: 3 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
