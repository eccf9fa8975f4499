import { issuerKeys, JwtIdentity, keysOrTokens } from '@campaign-mirror/adapters-jwt';
import { type OwnerId, subject } from '@campaign-mirror/domain';
import { type IdentityWorld, type IssuedCredential, identityCases } from '@campaign-mirror/domain/contracts';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { inMemoryWorlds } from '../support/store/in-memory-world.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import { fromNow, rules, type SigningKey, signingKey, token } from '../support/tokens/signing-key.ts';

describe('the contract of an identity, kept by signed tokens', () => {
  let key: SigningKey;
  let issuer: TestIssuer;
  let tokens: JwtIdentity;
  let clock: Clock;
  let number = 0;

  before(async () => {
    key = await signingKey('first');
    issuer = await new TestIssuer(key).open();
    tokens = new JwtIdentity({ ...rules, clockTolerance: 0 }, issuerKeys({ url: issuer.url }));
    clock = install({ now: Date.now(), toFake: ['Date'] });
  });
  after(async () => {
    clock.uninstall();
    await issuer.close();
  });

  const issue = async (owner: OwnerId): Promise<IssuedCredential> => {
    number += 1;
    const named = subject('jwt', `client-${number}`);
    if (!named) throw new Error('no subject');
    const credential = await token(key, { owner_id: owner, sub: `client-${number}`, exp: fromNow(90) });
    return { credential, caller: { ownerId: owner, subject: named } };
  };
  const world = (): IdentityWorld => ({
    identity: tokens,
    issue,
    unknown: async () => token(await signingKey('first')),
    issueExpired: (owner) => token(key, { owner_id: owner, exp: fromNow(0) }),
    expire: async () => void clock.tick(90_000),
    claims: true,
  });

  /** A token is valid until it expires: nobody can revoke it, and there is no record of it. */
  const notOfTokens = ['revoke', 'forget'];

  for (const { name, run } of identityCases.filter(({ needs = '' }) => !notOfTokens.includes(needs)))
    it(name, () => run(world()));

  it('applies to tokens, as far as they are not revoked', () => {
    const left = identityCases.filter(({ needs = '' }) => notOfTokens.includes(needs));
    expect(left.length).to.be.within(1, 3);
    expect(identityCases.length - left.length).to.be.at.least(7);
  });

  describe('IDENTITY=both: access keys beside them', () => {
    for (const { name, run } of identityCases)
      it(name, () => {
        const keys = inMemoryWorlds().identity;
        return run({ ...keys, identity: keysOrTokens(keys.identity, tokens) });
      });
  });
});
