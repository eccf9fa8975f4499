import { issuerKeys, isTokenForm, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { expect } from 'chai';
import { exportSPKI, importJWK } from 'jose';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import {
  fromNow,
  rules,
  type SigningKey,
  signingKey,
  TestIssuer,
  token,
  unsigned,
} from '../support/tokens/issuer.ts';

type Made = (of: SigningKey, unallowed: SigningKey) => string | Promise<string>;
const good: Record<string, Made> = {
  'as it should be': (of) => token(of),
  'an owner in digits': (of) => token(of, { owner_id: '7' }),
  'among other audiences': (of) => token(of, { aud: ['other', rules.audience] }),
  'expired within the tolerance': (of) => token(of, { exp: fromNow(-15) }),
  'valid soon, within the tolerance': (of) => token(of, { nbf: fromNow(15) }),
  'an access token by its type': (of) => token(of, {}, { typ: 'application/at+JWT' }),
};
const header = { alg: 'ES256', kid: 'first' };
/** By the reason that the log shows. */
const bad: Record<string, Made> = {
  'algorithm: alg: none': () => unsigned({ alg: 'none', kid: 'first' }, 'AAAA'),
  // As by an attacker who hopes for a mistaken algorithm.
  'algorithm: HS256 with the public key': async ({ kid, jwk }) => {
    const pem = await exportSPKI((await importJWK(jwk)) as CryptoKey);
    return token({ kid, algorithm: 'HS256', privateKey: new TextEncoder().encode(pem), jwk: {} });
  },
  'signature: signed by another key of the same id': async () => token(await signingKey('first')),
  'signature: its claims changed': async (of) => {
    const [head, , signature] = (await token(of)).split('.');
    return [head, (await token(of, { owner_id: 8 })).split('.')[1], signature].join('.');
  },
  'key: its key inside': async () => signingKey('own').then((own) => token(own, {}, { jwk: own.jwk })),
  'algorithm: an algorithm that is not allowed': (_, unallowed) => token(unallowed),
  'malformed: longer than 8,192 characters': (of) => token(of, { more: 'x'.repeat(8_192) }),
  'malformed: a critical header that nobody knows': () => unsigned({ ...header, crit: ['x'], x: 1 }, 'AAAA'),
  'key: a key id that is no text': () => unsigned({ ...header, kid: ['first'] }, 'AAAA'),
  'type: another kind of token': (of) => token(of, {}, { typ: 'logout+jwt' }),
};
const reasons: Record<string, string> = {
  ...{ iss: 'issuer', aud: 'audience', exp: 'expir', nbf: 'not-yet-valid', cnf: 'bound-to-a-key' },
  ...{ owner_id: 'owner-claim', sub: 'subject-claim' },
};
/** Claims with which a token is nobody's. */
const badClaims: Record<string, readonly unknown[]> = {
  iss: ['https://other.example', undefined],
  aud: ['campaign-mirror-other', undefined],
  exp: [fromNow(-60), undefined],
  nbf: [fromNow(3_600)],
  cnf: [{ jkt: 'x' }],
  owner_id: [
    ...[undefined, null, 0, -7, 7.5, 2 ** 53, true, [7], { id: 7 }],
    ...['07', '+7', ' 7', '7e0', '9007199254740992', '', 'seven'],
  ],
  sub: [undefined, null, '', 'two\nlines', 'x'.repeat(201), 4, ['client-4']],
};

describe('contract: tokens: who a token is of', () => {
  let key: SigningKey;
  let unallowed: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;
  const caller = { ownerId: 7, subject: 'jwt:client-4' };

  before(async () => {
    key = await signingKey('first');
    unallowed = await signingKey('third', 'ES384');
    issuer = await new TestIssuer(key, await signingKey('second', 'RS256'), unallowed).open();
    identity = identityOf(issuer);
  });
  after(() => issuer.close());

  const identityOf = (
    { url }: TestIssuer,
    otherwise: Partial<ConstructorParameters<typeof JwtIdentity>[0]> = {},
  ) => new JwtIdentity({ ...rules, ...otherwise }, issuerKeys({ url }));
  const expectCaller = async (credential: string, expected: object) =>
    expect(await identity.whoIs(credential)).to.deep.equal(expected);

  async function expectRefused(credential: string, reason = '') {
    const refused = await identity.whoIs(credential);
    expect(refused).to.have.property('refused').that.includes(`token-${reason}`);
  }

  for (const [name, make] of Object.entries(good))
    it(`accepted: ${name}`, async () => expectCaller(await make(key, unallowed), caller));
  for (const [name, make] of Object.entries(bad))
    it(`refused: ${name}`, async () => expectRefused(await make(key, unallowed), name.split(':')[0]));
  for (const [claim, values] of Object.entries(badClaims))
    it(`refused: another ${claim}`, async () => {
      for (const value of values) await expectRefused(await token(key, { [claim]: value }), reasons[claim]);
    });

  it('without a key id: the only key that fits, or nobody', async () => {
    const unnamed = await token(key, {}, { kid: undefined });
    await expectCaller(unnamed, caller);
    const several = await new TestIssuer(key, await signingKey('third')).open();
    expect(await identityOf(several).whoIs(unnamed)).to.deep.equal({ refused: 'token-malformed' });
    await several.close();
  });

  it('claims of other names, such as those of Auth0', async () => {
    const ownerClaim = 'https://mirrors.example/owner_id';
    const other = identityOf(issuer, { ownerClaim, subjectClaim: 'azp' });
    const credential = await token(key, { [ownerClaim]: 8, azp: 'script-1' });
    expect(await other.whoIs(credential)).to.deep.equal({ ownerId: 8, subject: 'jwt:script-1' });
  });

  it('refuses rules without an issuer or an audience, which would be checked for no token', () => {
    for (const rule of ['issuer', 'audience'])
      for (const unset of [undefined, ''])
        expect(() => identityOf(issuer, { [rule]: unset }), rule).to.throw(TypeError, 'issuer and audience');
  });

  it('contract: tokens: a claim with the only hosts, in each token: an array, or one text with commas', async () => {
    const restricted = identityOf(issuer, { hostsClaim: 'hosts' });
    const list = { exact: new Set(['shop.example']), below: new Set(['shop.example']) };
    const none = { exact: new Set(), below: new Set() };
    const noHosts = 'https://shop.example/ , a.example:443, *, *.com, com, any, a..b, a b, a_b.example,';
    for (const hosts of [['Shop.example', '*.shop.example'], `shop.example., *.SHOP.example,${noHosts}`])
      expect(await restricted.whoIs(await token(key, { hosts }))).to.deep.equal({ ...caller, hosts: list });
    for (const hosts of [noHosts, '', [''], noHosts.split(',')])
      expect(await restricted.whoIs(await token(key, { hosts }))).to.deep.equal({ ...caller, hosts: none });
    await expectCaller(await token(key, { hosts: 'no claim of these rules' }), caller);
    for (const hosts of [undefined, [], null, false, 7, {}, { a: 1 }, ['a.example', 7], [['a.example']]])
      expect(await restricted.whoIs(await token(key, { hosts })), JSON.stringify(hosts)).to.deep.equal({
        refused: 'token-hosts-claim',
      });
  });

  const questions: string[] = [];
  const asked = <Answer>(question: string, answer: Answer) => {
    questions.push(question);
    return answer;
  };
  const tokens = withHttpService({
    isWellFormed: isTokenForm,
    ports: ({ campaigns }) => ({
      identity: { whoIs: (one) => asked('token', identity.whoIs(one)) },
      campaigns: {
        find: (id) => asked('campaign', campaigns.find(id)),
        setMirror: (seen, change) => asked('write', campaigns.setMirror(seen, change)),
      },
    }),
  });

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
