import { expect } from 'chai';
import { type Asking, ask, chunkedBytes, exchange, goodBody } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';

type Spoil = (service: HttpService, asking: Asking) => Asking;
/** What is wrong with a request, by the check that it breaks; several go together. */
interface Wrong {
  readonly status: number;
  /** The rule by its name in the log, where the status alone does not tell it. */
  readonly because: string;
  readonly spoil: Spoil;
}

const breaks = (status: number, because: string, spoil: Spoil): Wrong => ({ status, because, spoil });
const header =
  (name: string, value: string | readonly string[] | undefined): Spoil =>
  (_, asking) => ({ ...asking, headers: { ...asking.headers, [name]: value } });
const instead =
  (given: Asking): Spoil =>
  (_, asking) => ({ ...asking, ...given });
const campaign =
  (kind: keyof HttpService['campaigns']): Spoil =>
  ({ campaigns }, asking) => ({ ...asking, campaign: campaigns[kind] });
const twoKeys: Spoil = ({ keys }, asking) => {
  const one = [asking.headers?.Authorization ?? `Bearer ${keys.valid}`].flat()[0] ?? '';
  return { ...asking, headers: { ...asking.headers, Authorization: [one, one] } };
};
const unknownKey: Spoil = (service, asking) =>
  header('Authorization', `Bearer ${service.keys.unknown}`)(service, asking);

const tooLarge = Buffer.alloc(16_385, ' ');
const notUtf8 = Buffer.from('{"mirror_endpoint":"\xff"}', 'latin1');
const wrong = {
  '1 parser': breaks(400, 'bad-request', header('Host', ['a', 'b'])),
  '1 expectation': breaks(417, 'expectation-failed', header('Expect', 'more')),
  '2 route': breaks(404, 'route-not-found', instead({ target: '/nowhere' })),
  '2 method': breaks(405, 'method-not-supported', instead({ method: 'DELETE' })),
  '3 several keys': breaks(400, 'repeated-authorization', twoKeys),
  '3 no key': breaks(401, 'no-key', header('Authorization', 'Basic cm_nothing')),
  '3 malformed key': breaks(401, 'invalid-key', header('Authorization', 'Bearer cm_nothing')),
  '4 type': breaks(415, 'unsupported-body', header('Content-Type', 'text/plain')),
  '4 encoding': breaks(415, 'unsupported-body', header('Content-Encoding', 'br')),
  '4 size': breaks(413, 'body-too-large', instead({ body: tooLarge })),
  '5 unknown key': breaks(401, 'unknown-key', unknownKey),
  '7 campaign': breaks(404, 'campaign-not-found', instead({ campaign: 424242 })),
  '7 malformed identifier': breaks(404, 'campaign-not-found', instead({ campaign: '042' })),
  '8 mirror not created': breaks(403, 'mirror-not-created', campaign('withoutMirror')),
  '8 default campaign': breaks(403, 'default-campaign', campaign('default')),
  '8 not the owner': breaks(403, 'not-the-owner', campaign('foreign')),
  '9 not JSON': breaks(400, 'not-json', instead({ body: '{' })),
  '9 not UTF-8': breaks(400, 'not-json', instead({ body: notUtf8 })),
  '10 required': breaks(422, 'required', instead({ body: '{}' })),
  '10 address': breaks(422, 'not-a-url', instead({ body: '{"mirror_endpoint":"/nowhere"}' })),
} satisfies Record<string, Wrong>;
type Check = keyof typeof wrong;

/** Each with those that come right after it, and some that come far behind. */
const pairs: Partial<Record<Check, readonly Check[]>> = {
  '1 parser': ['1 expectation', '2 route', '2 method', '4 size', '3 several keys'],
  '1 expectation': ['2 route', '2 method', '3 no key'],
  '2 route': ['2 method', '3 no key', '9 not JSON'],
  '2 method': ['3 several keys', '3 no key', '4 size', '7 malformed identifier'],
  '3 several keys': ['3 no key', '3 malformed key', '5 unknown key'],
  '3 no key': ['4 type', '7 campaign'],
  '3 malformed key': ['4 type', '4 encoding', '4 size', '8 not the owner'],
  '4 type': ['4 size', '5 unknown key', '10 required'],
  '4 encoding': ['4 size', '5 unknown key'],
  '4 size': ['5 unknown key', '7 campaign'],
  '5 unknown key': ['7 campaign', '7 malformed identifier', '8 mirror not created', '9 not JSON'],
  '7 campaign': ['9 not JSON', '10 address'],
  '7 malformed identifier': ['9 not JSON'],
  '8 not the owner': ['9 not JSON', '9 not UTF-8', '10 address'],
};

describe('contract: order of checks', () => {
  const service = withHttpService();

  async function answerTo(asking: Asking) {
    const { status, headers } = await ask(service(), asking);
    const line = await service().log.line(String(headers['x-request-id']));
    return { status, because: line.because };
  }

  for (const [check, { status, because, spoil }] of Object.entries(wrong)) {
    it(`contract: order of checks — ${check} by itself`, async () => {
      expect(await answerTo(spoil(service(), {}))).to.deep.equal({ status, because });
    });
  }

  for (const [earlier, ones] of Object.entries(pairs)) {
    for (const later of ones) {
      it(`contract: order of checks — ${earlier} before ${later}`, async () => {
        const { status, because, spoil }: Wrong = wrong[earlier as Check];
        const asking = spoil(service(), wrong[later].spoil(service(), {}));
        expect(await answerTo(asking)).to.deep.equal({ status, because });
      });
    }
  }

  const rules = {
    foreignDefaultWithoutMirror: 'mirror-not-created',
    foreignWithoutMirror: 'mirror-not-created',
    foreignDefault: 'default-campaign',
  } as const;
  for (const [kind, because] of Object.entries(rules)) {
    it(`contract: order of checks — 8, of several rules the first: ${kind}`, async () => {
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
    it(`contract: answers — a 422 names the first message: ${name}`, async () => {
      const asking = { body: JSON.stringify({ mirror_endpoint: endpoint }) };
      expect(await answerTo(asking)).to.deep.equal({ status: 422, because });
    });
  }

  it('contract: order of checks — 4, size while reading, before 5', async () => {
    const headers = { Authorization: `Bearer ${service().keys.unknown}` };
    const { status } = await exchange(service(), chunkedBytes(service(), [goodBody, tooLarge], { headers }));
    expect(status).to.equal(413);
  });
});
