import { issuerKeys, JwtIdentity, keysOrTokens } from '@campaign-mirror/adapters-jwt';
import { subject } from '@campaign-mirror/domain';
import { type IdentityWorld, identityCases } from '@campaign-mirror/domain/contracts';
import { type Clock, install } from '@sinonjs/fake-timers';
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

  const world = (): IdentityWorld => ({
    identity: tokens,
    issue: async (owner) => {
      const named = `client-${++number}`;
      const credential = await token(key, { owner_id: owner, sub: named, exp: fromNow(90) });
      return { credential, caller: { ownerId: owner, subject: subject('jwt', named) as never } };
    },
    unknown: async () => token(await signingKey('first')),
    issueExpired: (owner) => token(key, { owner_id: owner, exp: fromNow(0) }),
    expire: async () => void clock.tick(90_000),
    claims: true,
  });

  for (const { name, run, needs = '' } of identityCases) {
    // Nobody can revoke a token, and there is no record of it.
    if (!['revoke', 'forget'].includes(needs)) it(name, () => run(world()));
    it(`IDENTITY=both, of an access key beside them: ${name}`, () => {
      const keys = inMemoryWorlds().identity;
      return run({ ...keys, identity: keysOrTokens(keys.identity, tokens) });
    });
  }
});
