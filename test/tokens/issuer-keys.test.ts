import { IssuerKeys, JwtIdentity } from '@campaign-mirror/adapters-jwt';
import { Unavailable } from '@campaign-mirror/domain';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { otherAnswers, TestIssuer } from '../support/tokens/issuer.ts';
import { rules, type SigningKey, signingKey, token } from '../support/tokens/signing-key.ts';

const maxAge = 600_000;
const staleIfError = 3_600_000;
const cooldown = 5_000;

describe('the keys of an issuer', () => {
  let old: SigningKey;
  let next: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;
  let keys: IssuerKeys;
  let now: number;
  let failures: unknown[];
  let fetched: PromiseWithResolvers<void>;
  let successes: number;

  before(async () => {
    [old, next] = await Promise.all([signingKey('old'), signingKey('next')]);
  });
  beforeEach(async () => {
    issuer = await new TestIssuer(old).open();
    now = 0;
    failures = [];
    successes = 0;
    fetched = Promise.withResolvers();
    keys = new IssuerKeys({
      url: issuer.url,
      maxAge,
      staleIfError,
      now: () => now,
      timeout: 200,
      observer: {
        fetched: () => {
          successes += 1;
          fetched.resolve();
        },
        failed: (error) => failures.push(error),
      },
    });
    identity = new JwtIdentity(rules, keys);
  });
  afterEach(() => issuer.close());

  const isKnown = async (key: SigningKey) => (await identity.whoIs(await token(key))) !== undefined;
  const fault = async (key: SigningKey) => {
    const error = await identity.whoIs(await token(key)).catch((error) => error);
    expect(error).to.be.instanceOf(Unavailable);
    return error as Unavailable;
  };

  it('are fetched once for all that wait for them, and again when they are old', async () => {
    expect(await Promise.all([isKnown(old), isKnown(old), isKnown(old)])).to.deep.equal([true, true, true]);
    now += maxAge - 1;
    expect(await isKnown(old)).to.equal(true);
    expect([issuer.fetches, successes]).to.deep.equal([1, 1]);
    now += 1;
    expect(await identity.claimedBy(await token(old)), 'a removed key could be among them').to.equal(
      undefined,
    );
    expect(await isKnown(old)).to.equal(true);
    expect([issuer.fetches, successes]).to.deep.equal([2, 2]);
  });

  it('are fetched as often as their age asks for, also within 5 s', async () => {
    const brief = new IssuerKeys({ url: issuer.url, maxAge: 1_000, staleIfError, now: () => now });
    identity = new JwtIdentity(rules, brief);
    for (let time = 1; time <= 3; time++, now += 1_000) {
      expect(await isKnown(old)).to.equal(true);
      expect(issuer.fetches).to.equal(time);
    }
  });

  it('are not fetched by other rules of the library', async () => {
    expect(await isKnown(old)).to.equal(true);
    const later = install({ now: Date.now() + 11 * 60_000, toFake: ['Date'] });
    try {
      expect(await isKnown(old)).to.equal(true);
      expect(await isKnown(next)).to.equal(false);
    } finally {
      later.uninstall();
    }
    expect(issuer.fetches).to.equal(1);
  });

  it('rotation: a new key is accepted after one fetch, a removed one refused when the keys are old', async () => {
    expect(await isKnown(old)).to.equal(true);
    issuer.keys = [next];
    now += cooldown;
    expect(await Promise.all([isKnown(next), isKnown(next)])).to.deep.equal([true, true]);
    expect(issuer.fetches).to.equal(2);
    expect(await isKnown(old)).to.equal(false);
    issuer.keys = [old];
    now += maxAge;
    expect(await isKnown(next)).to.equal(false);
    expect(await isKnown(old)).to.equal(true);
  });

  it('an unknown id: one fetch, then none for it, and for others one in 5 s', async () => {
    await isKnown(old);
    now += cooldown;
    const other = await signingKey('other');
    for (let time = 0; time < 3; time++) expect(await isKnown(other)).to.equal(false);
    expect(issuer.fetches).to.equal(2);
    now += cooldown;
    expect(await isKnown(other)).to.equal(false);
    expect(issuer.fetches, 'it is remembered').to.equal(2);
    for (let number = 0; number < 50; number++)
      expect(await identity.whoIs(await token(other, {}, { kid: `flood-${number}` }))).to.equal(undefined);
    expect(issuer.fetches, 'one fetch for a flood').to.equal(3);
    expect(await isKnown(old)).to.equal(true);
  });

  it('a fetch for an unknown id that came too early is made up for: the id is not remembered', async () => {
    await isKnown(old);
    issuer.keys = [old, next];
    now += cooldown - 1;
    expect(await isKnown(next)).to.equal(false);
    now += 1;
    expect(await isKnown(next)).to.equal(true);
  });

  it('away before the first fetch: unavailable, at once from the second call on, and back after 5 s', async () => {
    await issuer.close();
    expect((await fault(old)).cause).to.be.instanceOf(Error);
    await fault(old);
    expect(failures).to.have.length(1);
    await issuer.open();
    await fault(old);
    now += cooldown;
    await fault(old);
    await fetched.promise;
    expect(await isKnown(old)).to.equal(true);
    expect(issuer.fetches).to.equal(1);
  });

  it('away later: the keys are used for an hour longer, and nobody waits', async () => {
    await isKnown(old);
    await issuer.close();
    now += maxAge;
    expect(await isKnown(old), 'after a failed fetch').to.equal(true);
    now += staleIfError - 1;
    expect(await identity.claimedBy(await token(old))).to.deep.include({ subject: 'jwt:client-4' });
    await fault(next);
    now += 1;
    expect(await identity.claimedBy(await token(old))).to.equal(undefined);
    await fault(old);
  });

  it('away and back: a claim begins the fetch that brings the keys back', async () => {
    await isKnown(old);
    await issuer.close();
    now += maxAge;
    await isKnown(old);
    await issuer.open();
    fetched = Promise.withResolvers();
    now += cooldown;
    expect(await identity.claimedBy(await token(old))).to.deep.include({ subject: 'jwt:client-4' });
    await fetched.promise;
    expect(keys.age).to.equal(0);
  });

  it('away: an id that the issuer did not know before is still nobody’s', async () => {
    await isKnown(old);
    now += cooldown;
    expect(await isKnown(next)).to.equal(false);
    await issuer.close();
    now += cooldown;
    expect(await isKnown(next)).to.equal(false);
  });

  for (const [name, answer] of Object.entries(otherAnswers)) {
    it(`an answer that is no key set, ${name}: unavailable, and keys of before are kept`, async () => {
      issuer.answer = answer;
      await fault(old);
      expect(issuer.fetches).to.equal(1);
      issuer.answer = undefined;
      now += cooldown;
      await fault(old);
      await fetched.promise;
      issuer.answer = answer;
      now += maxAge;
      expect(await isKnown(old)).to.equal(true);
      expect(failures).to.have.length(2);
    });
  }

  it('slow: a call waits for the time limit, the next ones not at all', async () => {
    issuer.answer = () => {};
    const { cause } = await fault(old);
    expect(String(cause)).to.include('timed out');
    expect(failures).to.have.length(1);
    now += cooldown;
    await fault(old);
    expect(failures, 'the next fetch is under way').to.have.length(1);
  });

  it('slow: of many tokens with unknown keys only some wait, the others are nobody’s at once', async () => {
    await isKnown(old);
    now += cooldown;
    const arrived = Promise.withResolvers<() => void>();
    issuer.answer = (_, response) => arrived.resolve(() => response.end(JSON.stringify(issuer.published())));
    const unknown = await token(next);
    let waiting = 100;
    const calls = Array.from({ length: waiting }, () =>
      identity.whoIs(unknown).finally(() => {
        waiting -= 1;
      }),
    );
    const answer = await arrived.promise;
    await eventually('the others are answered', () => expect(waiting).to.equal(64));
    issuer.keys = [old, next];
    answer();
    const callers = await Promise.all(calls);
    expect(callers.filter((caller) => caller !== undefined)).to.have.length(64);
  });

  it('slow: a fetch that began before a token of a new key was sent does not make its id one that is unknown', async () => {
    await isKnown(old);
    now += cooldown;
    const unknown = await token(next);
    const arrived = Promise.withResolvers<() => void>();
    const before = JSON.stringify(issuer.published());
    issuer.answer = (_, response) => arrived.resolve(() => response.end(before));
    void keys.fetch();
    const answer = await arrived.promise;
    issuer.keys = [old, next];
    issuer.answer = undefined;
    const early = identity.whoIs(unknown);
    await new Promise(setImmediate);
    answer();
    expect([await early, issuer.fetches]).to.deep.equal([undefined, 2]);
    now += cooldown;
    expect(await isKnown(next)).to.equal(true);
  });

  it('away: however many tokens with unknown keys arrive together, all are told that it is away', async () => {
    await isKnown(old);
    await issuer.close();
    now += cooldown;
    await fault(next);
    const unknown = await token(next);
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => identity.whoIs(unknown)));
    expect(new Set(results.map(({ status }) => status))).to.deep.equal(new Set(['rejected']));
  });

  it('an answer that stops in its middle: the same', async () => {
    issuer.answer = (_, response) => void response.write('{"keys":[');
    expect(String((await fault(old)).cause)).to.include('timed out');
  });

  it('a key that cannot be used: unavailable, not a fault of the caller', async () => {
    issuer.keys = [{ ...old, jwk: { ...old.jwk, x: 'AAAA' } }];
    const { message } = await fault(old);
    expect(message).to.equal('a key of the issuer of tokens cannot be used');
  });
});
