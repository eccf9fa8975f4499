import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { issuerKeys, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { Unavailable } from '@campaign-mirror/domain';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { unsigned } from '../support/tokens/hmac.ts';
import { otherAnswers, TestIssuer } from '../support/tokens/issuer.ts';
import { claims, rules, type SigningKey, signingKey, token } from '../support/tokens/signing-key.ts';

const maxAge = 600_000;
const cooldown = 5_000;

describe('the keys of an issuer', () => {
  let old: SigningKey;
  let next: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;
  let clock: Clock;
  let failures: unknown[];
  let counts: number[];

  before(async () => {
    [old, next] = await Promise.all([signingKey('old'), signingKey('next')]);
  });
  beforeEach(async () => {
    issuer = await new TestIssuer(old).open();
    clock = install({ now: Date.now(), toFake: ['Date', 'performance'] });
    failures = [];
    counts = [];
    const observer = {
      fetched: (keys: number) => counts.push(keys),
      failed: (error: unknown) => failures.push(error),
    };
    identity = new JwtIdentity(rules, issuerKeys({ url: issuer.url, maxAge, timeout: 200, observer }));
  });
  afterEach(async () => {
    clock.uninstall();
    await issuer.close();
  });

  const isKnown = async (key: SigningKey) => (await identity.whoIs(await token(key))) !== undefined;
  const fault = async (key: SigningKey) => {
    const error = await identity.whoIs(await token(key)).catch((error) => error);
    expect(error).to.be.instanceOf(Unavailable);
    return error as Unavailable;
  };

  it('are fetched once for all that wait for them, and again when they are old', async () => {
    expect(await Promise.all([isKnown(old), isKnown(old), isKnown(old)])).to.deep.equal([true, true, true]);
    clock.tick(maxAge - 1);
    expect(await isKnown(old)).to.equal(true);
    expect([issuer.fetches, counts]).to.deep.equal([1, [1]]);
    clock.tick(1);
    expect(await isKnown(old)).to.equal(true);
    expect([issuer.fetches, counts]).to.deep.equal([2, [1, 1]]);
  });

  it('rotation: a new key is accepted after one fetch, a removed one refused when the keys are old', async () => {
    expect(await isKnown(old)).to.equal(true);
    issuer.keys = [old, next];
    clock.tick(cooldown);
    expect(await Promise.all([isKnown(next), isKnown(next)])).to.deep.equal([true, true]);
    expect(issuer.fetches).to.equal(2);
    issuer.keys = [next];
    clock.tick(maxAge);
    expect([await isKnown(old), await isKnown(next)]).to.deep.equal([false, true]);
  });

  it('unknown ids: one fetch in 5 s, whatever is sent, and known keys go on', async () => {
    await isKnown(old);
    const other = await signingKey('other');
    for (let time = 0; time < 3; time++) {
      clock.tick(cooldown);
      for (let number = 0; number < 50; number++)
        expect(await identity.whoIs(await token(other, {}, { kid: `${time}-${number}` }))).to.equal(
          undefined,
        );
      expect(issuer.fetches).to.equal(2 + time);
      expect(await isKnown(old)).to.equal(true);
    }
  });

  it('unknown ids leave nothing in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    await isKnown(old);
    const flood = async (name: string) => {
      for (let number = 0; number < 5_000; number++) {
        const kid = `${name}-${number}-${'x'.repeat(1_000)}`;
        await identity.whoIs(unsigned({ alg: 'ES256', kid }, claims, 'AAAA'));
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await flood('first');
    expect((await flood('second')) - before, 'of 5 MB').to.be.below(2_000_000);
  });

  it('a new key is accepted 5 s after the last fetch at the latest', async () => {
    await isKnown(old);
    issuer.keys = [old, next];
    clock.tick(cooldown - 1);
    expect(await isKnown(next)).to.equal(false);
    clock.tick(1);
    expect(await isKnown(next)).to.equal(true);
  });

  it('away before the first fetch: unavailable, one attempt in 5 s, and back after that', async () => {
    await issuer.close();
    expect((await fault(old)).cause).to.be.instanceOf(Error);
    await issuer.open();
    await fault(old);
    expect([issuer.fetches, failures.length]).to.deep.equal([0, 1]);
    clock.tick(cooldown);
    expect(await isKnown(old)).to.equal(true);
  });

  it('away later: the keys are used until they are old, and others are unavailable, not refused', async () => {
    await isKnown(old);
    await issuer.close();
    clock.tick(maxAge - 1);
    await fault(next);
    expect(await isKnown(old)).to.equal(true);
    clock.tick(1);
    await fault(old);
    await issuer.open();
    clock.tick(cooldown);
    expect(await isKnown(old)).to.equal(true);
  });

  for (const [name, answer] of Object.entries(otherAnswers)) {
    it(`an answer that is no key set, ${name}: unavailable, and keys of before are kept`, async () => {
      issuer.answer = answer;
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
  }

  it('slow: a call waits for the time limit, those after it not at all', async () => {
    issuer.answer = () => {};
    const { cause } = await fault(old);
    expect(String(cause)).to.include('timeout');
    await fault(old);
    expect([issuer.fetches, failures.length]).to.deep.equal([1, 1]);
  });

  it('slow: all tokens with unknown keys wait for the one fetch, and those with known ones for nothing', async () => {
    await isKnown(old);
    clock.tick(cooldown);
    const arrived = Promise.withResolvers<() => void>();
    issuer.answer = (_, response) => arrived.resolve(() => response.end(JSON.stringify(issuer.published())));
    issuer.keys = [old, next];
    const unknown = await token(next);
    const calls = Array.from({ length: 100 }, () => identity.whoIs(unknown));
    const answer = await arrived.promise;
    expect(await isKnown(old)).to.equal(true);
    answer();
    for (const caller of await Promise.all(calls)) expect(caller).to.include({ subject: 'jwt:client-4' });
    expect(issuer.fetches).to.equal(2);
  });

  it('an answer that stops in its middle: unavailable after the time limit', async () => {
    issuer.answer = (_, response) => void response.write('{"keys":[');
    expect(String((await fault(old)).cause)).to.include('timeout');
  });

  it('a key that cannot be used: unavailable, not a fault of the caller', async () => {
    issuer.keys = [{ ...old, jwk: { ...old.jwk, x: 'AAAA' } }];
    const { message } = await fault(old);
    expect(message).to.equal('a key of the issuer of tokens cannot be used');
  });
});
