import { issuerKeys, isTokenForm, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { expect } from 'chai';
import { exportSPKI, importJWK } from 'jose';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import * as tokens from '../support/tokens/issuer.ts';

const { fromNow, rules, signingKey, TestIssuer, token, unsigned } = tokens;
type Made = (key: tokens.SigningKey, unallowed: tokens.SigningKey) => string | Promise<string>;
const good: Record<string, Made> = {
  'the usual claims': (key) => token(key),
  'an owner in digits': (key) => token(key, { owner_id: '7' }),
  'several audiences': (key) => token(key, { aud: ['other', rules.audience] }),
  'an exp that is past within the tolerance': (key) => token(key, { exp: fromNow(-15) }),
  'an nbf that is future within the tolerance': (key) => token(key, { nbf: fromNow(15) }),
  'the type of an access token': (key) => token(key, {}, { typ: 'application/at+JWT' }),
};
const header = { alg: 'ES256', kid: 'first' };
/** With the reason in the log. */
const bad: Record<string, readonly [reason: string, Made]> = {
  'the algorithm none': ['algorithm', () => unsigned({ alg: 'none', kid: 'first' }, 'AAAA')],
  'HS256 with the public key as secret': [
    'algorithm',
    async ({ kid, jwk }) => {
      const pem = await exportSPKI((await importJWK(jwk)) as CryptoKey);
      return token({ kid, algorithm: 'HS256', privateKey: new TextEncoder().encode(pem), jwk: {} });
    },
  ],
  'an algorithm that is not allowed': ['algorithm', (_, unallowed) => token(unallowed)],
  'the signature of another key with the same id': [
    'signature',
    async () => token(await signingKey('first')),
  ],
  'changed claims': [
    'signature',
    async (key) => {
      const [head, , signature] = (await token(key)).split('.');
      return [head, (await token(key, { owner_id: 8 })).split('.')[1], signature].join('.');
    },
  ],
  'its own key': ['key', async () => signingKey('own').then((own) => token(own, {}, { jwk: own.jwk }))],
  'a key id that is not a string': ['key', () => unsigned({ ...header, kid: ['first'] }, 'AAAA')],
  'more than 8,192 characters': ['malformed', (key) => token(key, { more: 'x'.repeat(8_192) })],
  'an unknown critical header': ['malformed', () => unsigned({ ...header, crit: ['x'], x: 1 }, 'AAAA')],
  'another type': ['type', (key) => token(key, {}, { typ: 'logout+jwt' })],
};
const badClaims: Record<string, readonly [reason: string, values: readonly unknown[]]> = {
  iss: ['issuer', ['https://other.example', undefined]],
  aud: ['audience', ['campaign-mirror-other', undefined]],
  exp: ['expir', [fromNow(-60), undefined]],
  nbf: ['not-yet-valid', [fromNow(3_600)]],
  cnf: ['bound-to-a-key', [{ jkt: 'x' }]],
  owner_id: [
    'owner-claim',
    [
      ...[undefined, null, 0, -7, 7.5, 2 ** 53, true, [7], { id: 7 }],
      ...['07', '+7', ' 7', '7e0', '9007199254740992', '', 'seven'],
    ],
  ],
  sub: ['subject-claim', [undefined, null, '', 'two\nlines', 'x'.repeat(201), 4, ['client-4']]],
};

describe('contract: tokens: only a valid token of the issuer identifies a caller', () => {
  let key: tokens.SigningKey;
  let unallowed: tokens.SigningKey;
  let issuer: tokens.TestIssuer;
  let identity: JwtIdentity;
  const caller = { ownerId: 7, subject: 'jwt:client-4' };
  const identityOf = (
    { url }: tokens.TestIssuer,
    otherwise: Partial<typeof rules & { hostsClaim: string }> = {},
  ) => new JwtIdentity({ ...rules, ...otherwise }, issuerKeys({ url }));

  before(async () => {
    key = await signingKey('first');
    unallowed = await signingKey('third', 'ES384');
    issuer = await new TestIssuer(key, await signingKey('second', 'RS256'), unallowed).open();
    identity = identityOf(issuer);
  });
  after(() => issuer.close());

  async function expectRefused(credential: string, reason: string) {
    const answer = await identity.whoIs(credential);
    expect(answer).to.have.property('refused').that.includes(`token-${reason}`);
  }

  for (const [name, make] of Object.entries(good))
    it(`a token with ${name} is accepted`, async () =>
      expect(await identity.whoIs(await make(key, unallowed))).to.deep.equal(caller));
  for (const [name, [reason, make]] of Object.entries(bad))
    it(`a token with ${name} is refused`, async () => expectRefused(await make(key, unallowed), reason));
  for (const [claim, [reason, values]] of Object.entries(badClaims))
    it(`a token with a wrong ${claim} is refused`, async () => {
      for (const value of values) await expectRefused(await token(key, { [claim]: value }), reason);
    });

  it('a token without a key id needs exactly one fitting key', async () => {
    const unnamed = await token(key, {}, { kid: undefined });
    expect(await identity.whoIs(unnamed)).to.deep.equal(caller);
    const two = await new TestIssuer(key, await signingKey('third')).open();
    expect(await identityOf(two).whoIs(unnamed)).to.deep.equal({ refused: 'token-malformed' });
    await two.close();
  });

  it('the claims of the owner and the subject can have other names', async () => {
    const ownerClaim = 'https://mirrors.example/owner_id';
    const other = identityOf(issuer, { ownerClaim, subjectClaim: 'azp' });
    const credential = await token(key, { [ownerClaim]: 8, azp: 'script-1' });
    expect(await other.whoIs(credential)).to.deep.equal({ ownerId: 8, subject: 'jwt:script-1' });
  });

  it('with JWT_HOSTS_CLAIM, each token must name its hosts, in an array or a string with commas', async () => {
    const restricted = identityOf(issuer, { hostsClaim: 'hosts' });
    const expectHosts = async (hosts: unknown, expected: object) =>
      expect(await restricted.whoIs(await token(key, { hosts })), `${hosts}`).to.deep.equal(expected);
    const list = { exact: new Set(['shop.example']), below: new Set(['shop.example']) };
    const none = { exact: new Set(), below: new Set() };
    const noHosts = 'https://shop.example/ , a.example:443, *, *.com, com, any, a..b, a b, a_b.example,';
    for (const hosts of [['Shop.example', '*.shop.example'], `shop.example., *.SHOP.example,${noHosts}`])
      await expectHosts(hosts, { ...caller, hosts: list });
    for (const hosts of [noHosts, '', noHosts.split(',')])
      await expectHosts(hosts, { ...caller, hosts: none });
    for (const hosts of [undefined, [], null, false, 7, {}, ['a.example', 7], [['a.example']]])
      await expectHosts(hosts, { refused: 'token-hosts-claim' });
  });

  const questions: string[] = [];
  const asked = <Answer>(question: string, answer: Answer) => {
    questions.push(question);
    return answer;
  };
  const service = withHttpService({
    isWellFormed: isTokenForm,
    ports: ({ campaigns }) => ({
      identity: { whoIs: (one) => asked('token', identity.whoIs(one)) },
      campaigns: {
        find: (id) => asked('campaign', campaigns.find(id)),
        setMirror: (seen, change) => asked('write', campaigns.setMirror(seen, change)),
      },
    }),
  });

  it('contract: order of checks: a token is checked once, and a refused one needs no statement', async () => {
    const own = () => token(key, { owner_id: service().owner });
    const expired = () => token(key, { exp: fromNow(-60) });
    const campaign = service().campaigns.foreign;
    const text = { headers: { 'Content-Type': 'text/plain' } };
    const cases: [number, () => string | Promise<string>, Asking, ...string[]][] = [
      [401, () => unsigned({ alg: 'none' }), text],
      [401, () => `${'a'.repeat(8_192)}.b.c`, text],
      [401, () => service().keys.valid, text],
      [415, expired, text],
      [401, expired, { campaign: 424242 }, 'token'],
      [200, own, {}, 'token', 'write'],
      [403, own, { campaign }, 'token', 'write'],
      [403, own, { campaign, body: '{' }, 'token', 'campaign'],
      [422, own, { body: '{}' }, 'token', 'campaign'],
    ];
    for (const [expected, credential, asking, ...questioned] of cases) {
      questions.length = 0;
      const headers = { ...asking.headers, Authorization: `Bearer ${await credential()}` };
      const { status } = await ask(service(), { ...asking, headers });
      expect([status, ...questions]).to.deep.equal([expected, ...questioned]);
    }
  });
});
