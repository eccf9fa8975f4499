import { issuerKeys, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { isCaller, Unavailable } from '@campaign-mirror/domain';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { rejection } from '../support/promises.ts';
import { rules, type SigningKey, signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';

const maxAge = 600_000;
const cooldown = 5_000;
const otherAnswers: Record<string, NonNullable<TestIssuer['answer']>> = {
  'a redirect': (_, to) => to.writeHead(302, { Location: '/elsewhere' }).end(),
  'a 500': (_, to) => to.writeHead(500).end('{"keys":[]}'),
  'another object': (_, to) => to.end('{"error":"none"}'),
  'too many bytes': (_, to) => to.end(`{"keys":[],"more":"${'x'.repeat(300_000)}"}`),
  'an answer without an end': (_, to) => void to.write('{"keys":['),
};

describe('contract: tokens: the keys of the issuer are fetched when they are needed, and kept in memory', () => {
  let old: SigningKey;
  let next: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;
  let clock: Clock;
  let failures: number;

  before(async () => {
    [old, next] = await Promise.all([signingKey('old'), signingKey('next')]);
  });
  beforeEach(async () => {
    issuer = await new TestIssuer(old).open();
    clock = install({ now: Date.now(), toFake: ['Date', 'performance'] });
    failures = 0;
    identity = identityOf(60_000);
  });
  afterEach(async () => {
    clock.uninstall();
    await issuer.close();
  });

  /** `timeout` of a fetch is in milliseconds of the real clock. */
  function identityOf(timeout: number): JwtIdentity {
    const observer = { fetched: () => {}, failed: () => void failures++ };
    return new JwtIdentity(rules, issuerKeys({ url: issuer.url, maxAge, timeout, observer }));
  }
  const isKnown = async (key: SigningKey) => isCaller(await identity.whoIs(await token(key)));
  const expectUnavailable = async (key: SigningKey) =>
    expect(await rejection(identity.whoIs(await token(key)))).to.be.instanceOf(Unavailable);

  it('concurrent tokens share a fetch, and old keys are fetched again', async () => {
    expect(await Promise.all([isKnown(old), isKnown(old), isKnown(old)])).to.deep.equal([true, true, true]);
    clock.tick(maxAge - 1);
    expect([await isKnown(old), issuer.fetches]).to.deep.equal([true, 1]);
    clock.tick(1);
    expect([await isKnown(old), issuer.fetches]).to.deep.equal([true, 2]);
  });

  it('a new key is accepted 5 s after the last fetch, and a removed one refused when the keys are old', async () => {
    await isKnown(old);
    issuer.keys = [old, next];
    clock.tick(cooldown - 1);
    expect(await isKnown(next)).to.equal(false);
    clock.tick(1);
    expect(await Promise.all([isKnown(next), isKnown(next)])).to.deep.equal([true, true]);
    expect(issuer.fetches).to.equal(2);
    issuer.keys = [next];
    clock.tick(maxAge);
    expect([await isKnown(old), await isKnown(next)]).to.deep.equal([false, true]);
  });

  it('while the issuer is away, keys are used until they are old, and others are tried once in 5 s', async () => {
    await issuer.close();
    await expectUnavailable(old);
    await issuer.open();
    await expectUnavailable(old);
    expect([issuer.fetches, failures]).to.deep.equal([0, 1]);
    clock.tick(cooldown);
    expect(await isKnown(old)).to.equal(true);
    await issuer.close();
    clock.tick(maxAge - 1);
    await expectUnavailable(next);
    expect(await isKnown(old)).to.equal(true);
    clock.tick(1);
    await expectUnavailable(old);
  });

  for (const [name, answer] of Object.entries(otherAnswers))
    it(`${name} of the issuer makes the service unavailable, and earlier keys are kept`, async () => {
      if (name === 'an answer without an end') identity = identityOf(200);
      issuer.answer = answer;
      await expectUnavailable(old);
      await expectUnavailable(old);
      expect([issuer.fetches, failures]).to.deep.equal([1, 1]);
      identity = identityOf(60_000);
      issuer.answer = undefined;
      expect(await isKnown(old)).to.equal(true);
      issuer.answer = (_, to) => to.writeHead(500).end();
      clock.tick(cooldown);
      await expectUnavailable(next);
      expect(await isKnown(old)).to.equal(true);
    });
});
