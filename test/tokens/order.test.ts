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
  const questions: string[] = [];
  const asked = <Answer>(question: string, answer: Answer) => {
    questions.push(question);
    return answer;
  };
  const tokens = withHttpService({
    isWellFormed: isTokenForm,
    ports: ({ campaigns }) => ({
      identity: {
        claimedBy: (one) => asked('token', identity.claimedBy(one)),
        whoIs: (one) => asked('token', identity.whoIs(one)),
      },
      campaigns: {
        find: (id) => asked('campaign', campaigns.find(id)),
        setMirror: (seen, change) => asked('write', campaigns.setMirror(seen, change)),
      },
    }),
  });

  before(async () => {
    key = await signingKey('first');
    issuer = await new TestIssuer(key).open();
    identity = new JwtIdentity(rules, issuerKeys({ url: issuer.url }));
  });
  after(() => issuer.close());
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
    ['5 expired before 7 campaign', 401, expired, { campaign: 424242 }],
  ] as const)
    it(`${check}: ${expected}`, async () => {
      const { status, headers } = await askWith(await credential(), asking);
      const challenge = 'Bearer realm="campaign-mirror", error="invalid_token"';
      const asked = expected === 401 ? challenge : undefined;
      expect([status, headers['www-authenticate']]).to.deep.equal([expected, asked]);
    });

  it('a token is verified once, and nothing is asked of the database for one that is refused', async () => {
    const ofOwner = () => token(key, { owner_id: tokens().owner });
    const campaign = tokens().campaigns.foreign;
    for (const [expected, credential, asking, ...questioned] of [
      [401, expired, {}, 'token'],
      [401, () => token(key, { owner_id: 'x' }), { body: '{' }, 'token'],
      [200, ofOwner, {}, 'token', 'write'],
      [403, ofOwner, { campaign }, 'token', 'write'],
      [403, ofOwner, { campaign, body: '{' }, 'token', 'campaign'],
      [422, ofOwner, { body: '{}' }, 'token', 'campaign'],
    ] as const) {
      questions.length = 0;
      const { status } = await askWith(await credential(), asking);
      expect([status, ...questions]).to.deep.equal([expected, ...questioned]);
    }
  });
});
