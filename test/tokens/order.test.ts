import { inspect } from 'node:util';
import { issuerKeys, isTokenForm, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { expect } from 'chai';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import {
  fromNow,
  rules,
  type SigningKey,
  signingKey,
  token,
  unsigned,
} from '../support/tokens/signing-key.ts';

describe('contract: tokens: over HTTP', () => {
  let key: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;
  let counted: string[] = [];
  const rate = { limit: 1, seconds: 60 };
  const count = async (who: string) => ({ consumed: counted.push(who), resetIn: 1 });
  const keys = withHttpService();
  const tokens = withHttpService(
    {
      isWellFormed: isTokenForm,
      limits: { keys: { rate, count } },
      ports: () => ({
        identity: { claimedBy: (one) => identity.claimedBy(one), whoIs: (one) => identity.whoIs(one) },
      }),
    },
    keys,
  );

  before(async () => {
    key = await signingKey('first');
    issuer = await new TestIssuer(key).open();
  });
  after(() => issuer.close());
  beforeEach(() => {
    counted = [];
    identity = new JwtIdentity(rules, issuerKeys({ url: issuer.url }));
  });
  const good = () => token(key, { owner_id: tokens().owner });
  const expired = () => token(key, { exp: fromNow(-60) });
  const askWith = (credential: string, { headers, ...asking }: Asking = {}) =>
    ask(tokens(), { ...asking, headers: { ...headers, Authorization: `Bearer ${credential}` } });

  const text = { headers: { 'Content-Type': 'text/plain' } };
  const tooLarge = { body: ' '.repeat(16_385) };
  for (const [check, expected, credential, asking] of [
    ['3 malformed before 4 type', 401, () => unsigned({ alg: 'none' }), text],
    ['3 too long before 4 size', 401, () => `${'a'.repeat(8_192)}.b.c`, tooLarge],
    ['3 an access key before 4 size', 401, () => tokens().keys.valid, tooLarge],
    ['4 type before 5 expired', 415, expired, text],
    ['4 size before 5 expired', 413, expired, tooLarge],
    ['5 expired before 7 campaign', 401, expired, { campaign: 424242 }],
    ['9 not JSON', 400, good, { body: '{' }],
  ] as const)
    it(`${check}: ${expected}`, async () => {
      expect((await askWith(await credential(), asking)).status).to.equal(expected);
    });

  it('401 has the same bytes whatever is wrong with a token, and as for keys', async () => {
    const answers = [
      await ask(keys(), { headers: { Authorization: `Bearer ${keys().keys.unknown}` } }),
      await askWith(unsigned({ alg: 'none' })),
      await askWith(await expired()),
      await askWith(await token(await signingKey('first'))),
    ].map(({ headers, ...rest }) => ({ ...rest, headers: { ...headers, date: '', 'x-request-id': '' } }));
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(answers[0]).to.include({ status: 401 });
  });

  it('the history shows the subject, and the rate counts by it', async () => {
    expect((await askWith(await good())).status).to.equal(200);
    const { world, campaigns } = tokens();
    expect((await world.others.history(campaigns.own)).at(-1)).to.include({ subject: 'jwt:client-4' });
    expect((await askWith(await good())).status).to.equal(429);
    expect(counted).to.deep.equal(['jwt:client-4', 'jwt:client-4']);
  });

  it('503 if the issuer is away and no key is known; nothing of the token is in the answer or the log', async () => {
    identity = new JwtIdentity(rules, issuerKeys({ url: new URL('http://127.0.0.1:9/jwks.json') }));
    const credential = await good();
    const { status, headers, body } = await askWith(credential);
    const unavailable = [503, '1', '{"message":"Service Unavailable"}'];
    expect([status, headers['retry-after'], body]).to.deep.equal(unavailable);
    const said = inspect([tokens().log.faults.at(-1), tokens().log.requests.at(-1)], { depth: null });
    expect(said).to.include('cannot be fetched');
    for (const secret of credential.split('.').slice(1)) expect(said).not.to.include(secret);
  });
});
