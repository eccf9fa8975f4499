import { expect } from 'chai';
import { type Asking, ask, chunkedBytes, exchange, goodBody } from '../support/http-request.ts';
import { type HttpService, withHttpService } from '../support/http-service.ts';

/** What is wrong with a request, by the check that it breaks; several go together. */
interface Wrong {
  readonly status: number;
  /** The rule by its name in the log, where the status alone does not tell it. */
  readonly because: string;
  readonly spoil: (service: HttpService, asking: Asking) => Asking;
}

const header =
  (name: string, value: string | readonly string[] | undefined) => (_: HttpService, asking: Asking) => ({
    ...asking,
    headers: { ...asking.headers, [name]: value },
  });
const body =
  (text: string | Buffer): Wrong['spoil'] =>
  (_, asking) => ({ ...asking, body: text });
const campaign =
  (kind: keyof HttpService['campaigns']): Wrong['spoil'] =>
  ({ campaigns }, asking) => ({ ...asking, campaign: campaigns[kind] });

const tooLarge = Buffer.alloc(16_385, ' ');
const wrong = {
  '1 parser': { status: 400, because: 'bad-request', spoil: header('Host', ['a', 'b']) },
  '1 expectation': { status: 417, because: 'expectation-failed', spoil: header('Expect', 'more') },
  '2 route': {
    status: 404,
    because: 'route-not-found',
    spoil: (_, asking) => ({ ...asking, target: '/nowhere' }),
  },
  '2 method': {
    status: 405,
    because: 'method-not-supported',
    spoil: (_, asking) => ({ ...asking, method: 'DELETE' }),
  },
  '3 several keys': {
    status: 400,
    because: 'repeated-authorization',
    spoil: ({ keys }, asking) => {
      const one = [asking.headers?.Authorization ?? `Bearer ${keys.valid}`].flat()[0] ?? '';
      return { ...asking, headers: { ...asking.headers, Authorization: [one, one] } };
    },
  },
  '3 no key': { status: 401, because: 'no-key', spoil: header('Authorization', 'Basic cm_nothing') },
  '3 malformed key': {
    status: 401,
    because: 'invalid-key',
    spoil: header('Authorization', 'Bearer cm_nothing'),
  },
  '4 type': { status: 415, because: 'unsupported-body', spoil: header('Content-Type', 'text/plain') },
  '4 encoding': { status: 415, because: 'unsupported-body', spoil: header('Content-Encoding', 'br') },
  '4 size': { status: 413, because: 'body-too-large', spoil: body(tooLarge) },
  '5 unknown key': {
    status: 401,
    because: 'unknown-key',
    spoil: ({ keys }, asking) => header('Authorization', `Bearer ${keys.unknown}`)({} as HttpService, asking),
  },
  '7 campaign': {
    status: 404,
    because: 'campaign-not-found',
    spoil: (_, asking) => ({ ...asking, campaign: 424242 }),
  },
  '7 malformed identifier': {
    status: 404,
    because: 'campaign-not-found',
    spoil: (_, asking) => ({ ...asking, campaign: '042' }),
  },
  '8 mirror not created': { status: 403, because: 'mirror-not-created', spoil: campaign('withoutMirror') },
  '8 default campaign': { status: 403, because: 'default-campaign', spoil: campaign('default') },
  '8 not the owner': { status: 403, because: 'not-the-owner', spoil: campaign('foreign') },
  '9 not JSON': { status: 400, because: 'not-json', spoil: body('{') },
  '9 not UTF-8': {
    status: 400,
    because: 'not-json',
    spoil: body(Buffer.from('{"mirror_endpoint":"\xff"}', 'latin1')),
  },
  '10 required': { status: 422, because: 'required', spoil: body('{}') },
  '10 address': { status: 422, because: 'not-a-url', spoil: body('{"mirror_endpoint":"/nowhere"}') },
} satisfies Record<string, Wrong>;
type Check = keyof typeof wrong;

/** Each with one that comes right after it, and some that come far behind. */
const pairs: readonly (readonly [Check, Check])[] = [
  ['1 parser', '1 expectation'],
  ['1 parser', '2 route'],
  ['1 parser', '2 method'],
  ['1 parser', '4 size'],
  ['1 parser', '3 several keys'],
  ['1 expectation', '2 route'],
  ['1 expectation', '2 method'],
  ['1 expectation', '3 no key'],
  ['2 route', '2 method'],
  ['2 route', '3 no key'],
  ['2 route', '9 not JSON'],
  ['2 method', '3 several keys'],
  ['2 method', '3 no key'],
  ['2 method', '4 size'],
  ['2 method', '7 malformed identifier'],
  ['3 several keys', '3 no key'],
  ['3 several keys', '3 malformed key'],
  ['3 several keys', '5 unknown key'],
  ['3 no key', '4 type'],
  ['3 no key', '7 campaign'],
  ['3 malformed key', '4 type'],
  ['3 malformed key', '4 encoding'],
  ['3 malformed key', '4 size'],
  ['3 malformed key', '8 not the owner'],
  ['4 type', '4 size'],
  ['4 encoding', '4 size'],
  ['4 type', '5 unknown key'],
  ['4 encoding', '5 unknown key'],
  ['4 size', '5 unknown key'],
  ['4 size', '7 campaign'],
  ['4 type', '10 required'],
  ['5 unknown key', '7 campaign'],
  ['5 unknown key', '7 malformed identifier'],
  ['5 unknown key', '8 mirror not created'],
  ['5 unknown key', '8 default campaign'],
  ['5 unknown key', '9 not JSON'],
  ['5 unknown key', '10 required'],
  ['7 campaign', '9 not JSON'],
  ['7 malformed identifier', '9 not JSON'],
  ['7 campaign', '10 address'],
  ['8 mirror not created', '9 not JSON'],
  ['8 default campaign', '9 not JSON'],
  ['8 not the owner', '9 not JSON'],
  ['8 not the owner', '9 not UTF-8'],
  ['8 not the owner', '10 address'],
];

describe('decisions: order of checks', () => {
  const service = withHttpService();

  async function answerTo(asking: Asking) {
    const { status, headers } = await ask(service(), asking);
    const line = await service().log.line(String(headers['x-request-id']));
    return { status, because: line.because };
  }

  for (const [check, { status, because, spoil }] of Object.entries<Wrong>(wrong)) {
    it(`decisions: order of checks — ${check} by itself`, async () => {
      expect(await answerTo(spoil(service(), {}))).to.deep.equal({ status, because });
    });
  }

  for (const [earlier, later] of pairs) {
    it(`decisions: order of checks — ${earlier} before ${later}`, async () => {
      const { status, because, spoil }: Wrong = wrong[earlier];
      const asking = spoil(service(), wrong[later].spoil(service(), {}));
      expect(await answerTo(asking)).to.deep.equal({ status, because });
    });
  }

  const rules = {
    foreignDefaultWithoutMirror: 'mirror-not-created',
    foreignWithoutMirror: 'mirror-not-created',
    foreignDefault: 'default-campaign',
  } as const;
  for (const [kind, because] of Object.entries(rules)) {
    it(`decisions: order of checks — 8, of several rules the first: ${kind}`, async () => {
      const asking = campaign(kind as keyof typeof rules)(service(), {});
      expect(await answerTo(asking)).to.deep.equal({ status: 403, because });
    });
  }

  const long = 'a'.repeat(2049);
  const addresses: readonly (readonly [string, unknown, string])[] = [
    ['blank before too long', ' '.repeat(2049), 'required'],
    ['another type before too long', [long], 'not-a-string'],
    ['too long before not a URL', long, 'too-long'],
    ['too long before a denied host', `https://example.com/${long}`, 'too-long'],
  ];
  for (const [name, endpoint, because] of addresses) {
    it(`decisions: answers — a 422 names the first message: ${name}`, async () => {
      const asking = { body: JSON.stringify({ mirror_endpoint: endpoint }) };
      expect(await answerTo(asking)).to.deep.equal({ status: 422, because });
    });
  }

  it('decisions: order of checks — 4, size while reading, before 5', async () => {
    const headers = { Authorization: `Bearer ${service().keys.unknown}` };
    const { status } = await exchange(service(), chunkedBytes(service(), [goodBody, tooLarge], { headers }));
    expect(status).to.equal(413);
  });

  it('decisions: order of checks — a malformed identifier looks no campaign up', async () => {
    const { campaigns, keys } = service();
    expect((await ask(service(), { campaign: `0${campaigns.own}` })).status).to.equal(404);
    const headers = { Authorization: `Bearer ${keys.unknown}` };
    expect((await ask(service(), { campaign: '%', headers })).status).to.equal(401);
  });
});
