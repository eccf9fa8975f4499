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
  const text = { headers: { 'Content-Type': 'text/plain' } };
  const tooLarge = { body: ' '.repeat(16_385) };
  it('contract: order of checks: a token is verified once, and nothing is asked of the database for one that is refused', async () => {
    const ofOwner = () => token(key, { owner_id: tokens().owner });
    const campaign = tokens().campaigns.foreign;
    const cases: [number, () => string | Promise<string>, Asking, ...string[]][] = [
      [401, () => unsigned({ alg: 'none' }), text],
      [401, () => `${'a'.repeat(8_192)}.b.c`, tooLarge],
      [401, () => tokens().keys.valid, tooLarge],
      [415, expired, text],
      [401, expired, { campaign: 424242 }, 'token'],
      [401, () => token(key, { owner_id: 'x' }), { body: '{' }, 'token'],
      [200, ofOwner, {}, 'token', 'write'],
      [403, ofOwner, { campaign }, 'token', 'write'],
      [403, ofOwner, { campaign, body: '{' }, 'token', 'campaign'],
      [422, ofOwner, { body: '{}' }, 'token', 'campaign'],
    ];
    for (const [expected, credential, asking, ...questioned] of cases) {
      questions.length = 0;
      const headers = { ...asking.headers, Authorization: `Bearer ${await credential()}` };
      const { status } = await ask(tokens(), { ...asking, headers });
      expect([status, ...questions]).to.deep.equal([expected, ...questioned]);
    }
  });
});
