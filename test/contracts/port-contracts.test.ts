import { issuerKeys, JwtIdentity, keysOrTokens } from '@campaign-mirror/adapters-jwt';
import { InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
import { entriesOf, type OwnerId, type Subject, subject } from '@campaign-mirror/domain';
import { type IdentityWorld, identityCases } from '@campaign-mirror/port-contracts';
import { expect } from 'chai';
import { worldOf } from '../support/process/lives.ts';
import {
  casesOf,
  everyCaseOn,
  inMemoryStore,
  inMemoryWorlds,
  stepping,
} from '../support/store/judged-store.ts';
import { fromNow, rules, type SigningKey, signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';

describe('the contracts of the ports, in memory', () => {
  const store = inMemoryStore();
  // It has no steps, and never goes away.
  everyCaseOn(() => store, ['steps']);

  it('refuse what PostgreSQL refuses', () => {
    const store = new InMemoryStore();
    const [one, other] = [store.createCampaign(7, true), store.createCampaign(8, true)];
    store.createMirror(one, 'https://first.example/');
    for (const [act, refusal] of [
      [() => store.createCampaign(7, true), 'owner 7 has a default campaign'],
      [() => store.createCampaign(0), 'not the number of an owner: 0'],
      [() => store.issueKey(1.5), 'not the number of an owner: 1.5'],
      [() => store.issueKey(7, 60, []), 'not hosts: '],
      [() => store.issueKey(7, 60, ['a_b c']), 'not hosts: a_b c'],
      [() => store.createMirror(one, 'https://second.example/'), `campaign ${one} has a mirror`],
      [() => store.createMirror(4711, 'https://first.example/'), 'there is no campaign 4711'],
      [() => store.createMirror(other, 'ftp://first.example/'), 'not an address of a mirror: not-http'],
    ] as const)
      expect(act).to.throw(TypeError, refusal);
    expect([store.campaigns.size, store.mirrors.size, store.accessKeys.size]).to.deep.equal([2, 1, 0]);
  });
});

for (const besideAChain of [false, true]) {
  describe(`the contracts of the ports, in PostgreSQL, ${besideAChain ? 'beside a chain' : 'alone'}`, () => {
    const world = worldOf('suite', { besideAChain });
    everyCaseOn(() => world);
  });
}

describe('the contract of Identity, with signed tokens', () => {
  let [key, other]: SigningKey[] = [];
  let issuer: TestIssuer;
  before(async () => {
    [key, other] = [await signingKey('first'), await signingKey('first')];
    issuer = await new TestIssuer(key).open();
  });
  after(() => issuer.close());

  const { steps, breaks } = stepping();
  let issued = 0;
  const signed = (owner: OwnerId, claims = {}) =>
    token(key as SigningKey, { owner_id: owner, sub: `client-${issued}`, ...claims });
  const tokens: Omit<IdentityWorld, 'identity'> = {
    issue: async (ownerId, _, hosts) => {
      issued += 1;
      const named = subject('jwt', `client-${issued}`) as Subject;
      const credential = await signed(ownerId, hosts && { hosts: entriesOf(hosts) });
      return { credential, caller: { ownerId, subject: named, ...(hosts && { hosts }) } };
    },
    unknown: () => token(other as SigningKey),
    issueExpired: (owner) => signed(owner, { exp: fromNow(-60) }),
    // A step asks the issuer for its keys.
    steps: (call, before) => {
      issuer.answer = async (_, response) => {
        if (await breaks()) response.destroy();
        else response.end(JSON.stringify({ keys: [key?.jwk] }));
      };
      return steps(call, before).finally(() => {
        issuer.answer = undefined;
      });
    },
  };
  // Each call knows no keys yet.
  const anew = () => new JwtIdentity({ ...rules, hostsClaim: 'hosts' }, issuerKeys({ url: issuer.url }));
  const identity = { whoIs: (credential: string) => anew().whoIs(credential) };
  const without = ['expire', 'revoke', 'forget'];
  casesOf('alone', identityCases, () => ({ ...tokens, identity }), without);

  const keys = inMemoryWorlds().identity;
  const either = keysOrTokens(keys.identity, identity);
  casesOf('tokens beside keys', identityCases, () => ({ ...tokens, identity: either }), without);
  casesOf('keys beside tokens', identityCases, () => ({ ...keys, identity: either }), ['steps']);
});
