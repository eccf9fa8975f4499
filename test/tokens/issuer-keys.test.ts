import { issuerKeys, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { isCaller, Unavailable } from '@campaign-mirror/domain';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { rules, type SigningKey, signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';

const maxAge = 600_000;
const cooldown = 5_000;
/** What is no key set, and what the error says of it. */
const otherAnswers: Record<string, readonly [NonNullable<TestIssuer['answer']>, RegExp]> = {
  'a redirect': [(_, to) => to.writeHead(302, { Location: '/elsewhere' }).end(), /answers 302|redirect/],
  'a server error': [(_, to) => to.writeHead(500).end('{"keys":[]}'), /answers 500/],
  'no keys': [(_, to) => to.end('{"error":"none"}'), /malformed/],
  'too much': [(_, to) => to.end(`{"keys":[],"more":"${'x'.repeat(300_000)}"}`), /exceeds/],
  'its beginning': [(_, to) => void to.write('{"keys":['), /timeout/],
};

describe('contract: tokens: the keys of an issuer', () => {
  let old: SigningKey;
  let next: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;
  let clock: Clock;
  let failures: unknown[];

  before(async () => {
    [old, next] = await Promise.all([signingKey('old'), signingKey('next')]);
  });
  beforeEach(async () => {
    issuer = await new TestIssuer(old).open();
    clock = install({ now: Date.now(), toFake: ['Date', 'performance'] });
    failures = [];
    identity = identityOf(10_000);
  });
  afterEach(async () => {
    clock.uninstall();
    await issuer.close();
  });

  /** `timeout`: of a fetch, in milliseconds of the machine's clock. */
  function identityOf(timeout: number): JwtIdentity {
    const observer = { fetched: () => {}, failed: (error: unknown) => failures.push(error) };
    return new JwtIdentity(rules, issuerKeys({ url: issuer.url, maxAge, timeout, observer }));
  }
  const isKnown = async (key: SigningKey) => isCaller(await identity.whoIs(await token(key)));
  const fault = async (key: SigningKey) => {
    const error = await identity.whoIs(await token(key)).catch((error) => error);
    expect(error).to.be.instanceOf(Unavailable);
    return error as Unavailable;
  };

  it('are fetched once for all that wait for them, and again when they are old', async () => {
    expect(await Promise.all([isKnown(old), isKnown(old), isKnown(old)])).to.deep.equal([true, true, true]);
    clock.tick(maxAge - 1);
    expect(await isKnown(old)).to.equal(true);
    expect(issuer.fetches).to.equal(1);
    clock.tick(1);
    expect(await isKnown(old)).to.equal(true);
    expect(issuer.fetches).to.equal(2);
  });

  it('rotation: a new key is accepted 5 s after the last fetch, a removed one refused when the keys are old', async () => {
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

  it('away before the first fetch: unavailable, one attempt in 5 s; away later: keys are used until they are old', async () => {
    await issuer.close();
    expect((await fault(old)).cause).to.be.instanceOf(Error);
    await issuer.open();
    await fault(old);
    expect([issuer.fetches, failures.length]).to.deep.equal([0, 1]);
    clock.tick(cooldown);
    expect(await isKnown(old)).to.equal(true);
    await issuer.close();
    clock.tick(maxAge - 1);
    await fault(next);
    expect(await isKnown(old)).to.equal(true);
    clock.tick(1);
    await fault(old);
  });

  for (const [name, [answer, said]] of Object.entries(otherAnswers))
    it(`an answer that is ${name}: unavailable, not asked for again at once, and keys of before are kept`, async () => {
      if (name === 'its beginning') identity = identityOf(200);
      issuer.answer = answer;
      expect(String((await fault(old)).cause)).to.match(said);
      await fault(old);
      expect([issuer.fetches, failures.length]).to.deep.equal([1, 1]);
      issuer.answer = undefined;
      clock.tick(cooldown);
      expect(await isKnown(old)).to.equal(true);
      issuer.answer = answer;
      clock.tick(cooldown);
      await fault(next);
      expect(await isKnown(old)).to.equal(true);
      expect(failures).to.have.length(2);
    });

  it('a key that cannot be used: unavailable, not a fault of the caller', async () => {
    issuer.keys = [{ ...old, jwk: { ...old.jwk, x: 'AAAA' } }];
    expect((await fault(old)).message).to.equal('a key of the issuer of tokens cannot be used');
  });
});
