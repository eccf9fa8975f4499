import { openDatabase, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import type { OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { committedText } from '../support/openapi-file.ts';
import { committedTypes, typesOfDocument } from '../support/openapi-types-file.ts';
import { tester } from '../support/operator.ts';
import { type ServiceData, serviceData } from '../support/service-data.ts';
import { endAll, listeningService } from '../support/service-process.ts';
import { type Advice, advice, answered, type Handlers, typedClient } from '../support/typed-client.ts';

const route = '/public/v1/mirror/campaign/{campaign}/mirror';
const address = 'https://second.example/?click={click_id}';

describe('a client whose types are made from openapi.json', () => {
  let data: ServiceData;
  let foreign: number;
  let base: string;

  before(async () => {
    data = await serviceData();
    const { orm, close } = await openDatabase(data.database.address('operator'));
    const other = { owner: 2 as OwnerId, isDefault: false };
    foreign = (await new PostgresSettings(orm, tester).createCampaign(other)).id;
    await close();
    const DATABASE_URL = data.database.url('service');
    ({ base } = await listeningService({ DATABASE_URL, RUN_MIGRATIONS: 'false' }));
  });
  after(async () => {
    await endAll();
    await data?.database.drop();
  });

  it('the types are those of the document', async () => {
    expect(await committedTypes(), 'write them anew by `npm run openapi`').to.equal(await typesOfDocument());
  });

  it('handles every status of the document; without one it does not compile', async () => {
    const { responses } = JSON.parse(await committedText()).paths[route].post;
    expect(Object.keys(advice)).to.deep.equal(Object.keys(responses));
    const { 503: _, ...rest } = advice;
    // @ts-expect-error 503 is missing; `npm run types` fails when that compiles.
    const incomplete: Handlers<Advice> = rest;
    expect(incomplete).not.to.have.property('503');
  });

  interface Attempt {
    readonly campaign?: number;
    readonly key?: string;
    readonly to?: string;
    readonly headers?: Record<string, string>;
    readonly text?: string;
  }
  const call = async ({ campaign = data.campaigns[0] as number, text, ...more }: Attempt = {}) => {
    const { key = data.key, to = address, headers = {} } = more;
    const answer = await typedClient(base, key).POST(route, {
      params: { path: { campaign } },
      body: { mirror_endpoint: to },
      headers,
      ...(text !== undefined && { bodySerializer: () => text }),
    });
    return { status: answer.response.status, advice: answered(advice, answer) };
  };

  it('sets a mirror', async () => {
    expect(await call()).to.deep.equal({ status: 200, advice: { do: 'go on', target: address } });
  });

  const refusals: readonly (readonly [name: string, attempt: () => Attempt, status: number, Advice])[] = [
    ['no JSON', () => ({ text: '{' }), 400, { do: 'mend', why: 'The request body is not valid JSON.' }],
    ['another key', () => ({ key: 'cm_nothing' }), 401, { do: 'get a key', why: 'Unauthenticated.' }],
    [
      "another owner's campaign",
      () => ({ campaign: foreign }),
      403,
      { do: 'ask the owner', why: 'This action is unauthorized.' },
    ],
    [
      'no campaign',
      () => ({ campaign: 424242 }),
      404,
      { do: 'mend', why: 'No query results for model [Campaign] 424242' },
    ],
    [
      'a long body',
      () => ({ text: ' '.repeat(16_385) }),
      413,
      { do: 'mend', why: 'The request body is too large.' },
    ],
    [
      'another type',
      () => ({ headers: { 'Content-Type': 'text/plain' } }),
      415,
      {
        do: 'mend',
        why: 'The request body must be application/json in UTF-8, without a content encoding.',
      },
    ],
    [
      'no address',
      () => ({ to: 'somewhere' }),
      422,
      { do: 'mend', why: 'The mirror endpoint field must be a valid URL.' },
    ],
    [
      'long headers',
      () => ({ headers: { 'X-Long': 'a'.repeat(17_000) } }),
      431,
      { do: 'mend', why: 'Request Header Fields Too Large' },
    ],
  ];
  for (const [name, attempt, status, expected] of refusals) {
    it(`${status}: ${name}`, async () => {
      expect(await call(attempt())).to.deep.equal({ status, advice: expected });
    });
  }

  it('503 when the database is away, with the time to wait', async () => {
    await data.database.drop();
    expect(await call()).to.deep.equal({ status: 503, advice: { do: 'repeat', after: 1 } });
  });
});
