import { issuerKeys, isTokenForm, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { expect } from 'chai';
import fc from 'fast-check';
import { exportSPKI, importJWK } from 'jose';
import { seed } from '../support/seed.ts';
import { hmacToken, unsigned } from '../support/tokens/hmac.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import { claims, fromNow, rules, type SigningKey, signingKey, token } from '../support/tokens/signing-key.ts';

describe('signed tokens as an identity', () => {
  let key: SigningKey;
  let unallowed: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;

  before(async () => {
    key = await signingKey('first');
    unallowed = await signingKey('third', 'ES384');
    issuer = await new TestIssuer(key, await signingKey('second', 'RS256'), unallowed).open();
    identity = identityOf(issuer);
  });
  after(() => issuer.close());

  const identityOf = ({ url }: TestIssuer, otherwise: Partial<typeof rules> = {}) =>
    new JwtIdentity({ ...rules, ...otherwise }, issuerKeys({ url }));
  const caller = { ownerId: 7, subject: 'jwt:client-4' };

  it('a good token: its owner and its subject', async () => {
    expect(await identity.whoIs(await token(key))).to.deep.equal(caller);
    expect(await identity.whoIs(await token(issuer.keys[1] as SigningKey))).to.deep.equal(caller);
  });

  it('claimedBy: the same, since there is no store', async () => {
    expect(await identity.claimedBy(await token(key))).to.deep.equal(caller);
    expect(await identity.claimedBy(await token(key, { exp: fromNow(-60) }))).to.equal(undefined);
    expect(await identity.claimedBy('cm_nothing')).to.equal(undefined);
  });

  const good: Record<string, (of: SigningKey) => Promise<string>> = {
    'an owner in digits': (of) => token(of, { owner_id: '7' }),
    'among other audiences': (of) => token(of, { aud: ['other', rules.audience] }),
    'expired within the tolerance': (of) => token(of, { exp: fromNow(-15) }),
    'valid soon, within the tolerance': (of) => token(of, { nbf: fromNow(15) }),
    'an access token by its type': (of) => token(of, {}, { typ: 'at+jwt' }),
    'the same as a media type': (of) => token(of, {}, { typ: 'application/at+JWT' }),
  };
  for (const [name, make] of Object.entries(good)) {
    it(`accepted: ${name}`, async () => {
      expect(await identity.whoIs(await make(key))).to.deep.equal(caller);
    });
  }

  const [owners, subjects] = [
    [
      0,
      -7,
      7.5,
      2 ** 53,
      '07',
      '+7',
      ' 7',
      '7e0',
      '9007199254740992',
      '',
      'seven',
      true,
      null,
      [7],
      { id: 7 },
    ],
    ['', 'two\nlines', 'x'.repeat(201), 4, null, ['client-4']],
  ];
  const bad: Record<string, (of: SigningKey) => string | Promise<string>> = {
    'alg: none': () => unsigned({ alg: 'none', kid: 'first' }, claims),
    'alg: none, and something for a signature': () => unsigned({ alg: 'none', kid: 'first' }, claims, 'AAAA'),
    'HS256 with the public key as JWK': (of) => hmacToken({ kid: of.kid }, claims, JSON.stringify(of.jwk)),
    'HS256 with the public key as PEM': async (of) =>
      hmacToken({ kid: of.kid }, claims, await exportSPKI((await importJWK(of.jwk)) as CryptoKey)),
    'signed by another key of the same id': async () => token(await signingKey('first')),
    'its key inside': async () => {
      const own = await signingKey('own');
      return token(own, {}, { jwk: own.jwk });
    },
    'an algorithm that is not allowed': () => token(unallowed),
    'longer than 8,192 characters': (of) => token(of, { more: 'x'.repeat(8_192) }),
    'a critical header that nobody knows': () =>
      unsigned({ alg: 'ES256', kid: 'first', crit: ['x'], x: 1 }, claims, 'AAAA'),
    'a key id that is no text': (of) => unsigned({ alg: 'ES256', kid: [of.kid] }, claims, 'AAAA'),
    'a key id that has no text': () => unsigned({ alg: 'ES256', kid: { toString: 1 } }, claims, 'AAAA'),
    'another issuer': (of) => token(of, { iss: 'https://other.example' }),
    'no issuer': (of) => token(of, { iss: undefined } as never),
    'another audience': (of) => token(of, { aud: 'campaign-mirror-other' }),
    'no audience': (of) => token(of, { aud: undefined } as never),
    expired: (of) => token(of, { exp: fromNow(-60) }),
    'without an expiry': (of) => token(of, { exp: undefined } as never),
    'not yet valid': (of) => token(of, { nbf: fromNow(60) }),
    'another kind of token': (of) => token(of, {}, { typ: 'logout+jwt' }),
    'bound to a key of its holder': (of) => token(of, { cnf: { jkt: 'x' } }),
    'no owner': (of) => token(of, { owner_id: undefined }),
    'no subject': (of) => token(of, { sub: undefined } as never),
    ...Object.fromEntries(
      owners.map((owner) => [`the owner ${JSON.stringify(owner)}`, (of) => token(of, { owner_id: owner })]),
    ),
    ...Object.fromEntries(
      subjects.map((sub) => [
        `the subject ${JSON.stringify(sub).slice(0, 20)}`,
        (of) => token(of, { sub } as never),
      ]),
    ),
  };
  for (const [name, make] of Object.entries(bad)) {
    it(`refused: ${name}`, async () => {
      const credential = await make(key);
      expect(await identity.whoIs(credential)).to.equal(undefined);
      expect(await identity.claimedBy(credential)).to.equal(undefined);
    });
  }

  it('a token without a key id: the only key that fits, or nobody', async () => {
    expect(await identity.whoIs(await token(key, {}, { kid: undefined }))).to.deep.equal(caller);
    const several = await new TestIssuer(key, await signingKey('third')).open();
    expect(await identityOf(several).whoIs(await token(key, {}, { kid: undefined }))).to.equal(undefined);
    await several.close();
  });

  it('claims of other names, such as those of Auth0', async () => {
    const ownerClaim = 'https://mirrors.example/owner_id';
    const other = identityOf(issuer, { ownerClaim, subjectClaim: 'azp' });
    const credential = await token(key, { [ownerClaim]: 8, azp: 'script-1' });
    expect(await other.whoIs(credential)).to.deep.equal({ ownerId: 8, subject: 'jwt:script-1' });
  });

  it('the form of a token: three parts in base64url, at most 8,192 characters', () => {
    for (const one of ['a.b.c', `${'a'.repeat(8_188)}.b.c`]) expect(isTokenForm(one), one).to.equal(true);
    const others = ['', 'a.b', 'a.b.', '.b.c', 'a..c', 'a.b.c.d', 'a.b.c=', 'a.b.c ', 'a.b+.c', 'a.b.c\n'];
    for (const one of [...others, `${'a'.repeat(8_189)}.b.c`]) expect(isTokenForm(one), one).to.equal(false);
  });

  it(`a token with a character changed is nobody's, and no fault (SEED=${seed})`, async () => {
    const credential = await token(key);
    const signed = credential.lastIndexOf('.');
    const characters = fc.constantFrom(...'ABCabc019-_.'.split(''));
    const places = fc.nat({ max: signed - 1 });
    await fc.assert(
      fc.asyncProperty(places, characters, async (at, character) => {
        fc.pre(credential[at] !== character);
        const spoilt = credential.slice(0, at) + character + credential.slice(at + 1);
        expect(await identity.whoIs(spoilt)).to.equal(undefined);
      }),
      { seed, numRuns: 300 },
    );
  });
});
