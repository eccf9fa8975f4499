import { issuerKeys, JwtIdentity, keysOrTokens } from '@campaign-mirror/adapters-jwt';
import { subject } from '@campaign-mirror/domain';
import { entriesOf } from '@campaign-mirror/domain/operator';
import { campaignRepositoryCases, type IdentityWorld, identityCases } from '@campaign-mirror/port-contracts';
import { InMemoryStore } from '@campaign-mirror/port-contracts/in-memory';
import { expect } from 'chai';
import { worldOf } from '../support/process/lives.ts';
import { casesOf, everyCaseOn, inMemoryWorlds } from '../support/store/judged-store.ts';
import { stepping } from '../support/store/stepping.ts';
import { fromNow, rules, type SigningKey, signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';

describe('the contracts of the ports, in memory', () => {
  // It has no steps, and never goes away.
  const worlds = inMemoryWorlds();
  casesOf('CampaignRepository', campaignRepositoryCases, () => worlds.campaigns, ['steps']);
  casesOf('Identity', identityCases, () => worlds.identity, ['steps']);

  it('refuse what no store can have', () => {
    const store = new InMemoryStore();
    const campaign = store.createCampaign(7);
    store.createMirror(campaign, 'https://first.example/');
    const other = store.createCampaign(8);
    for (const [act, refusal] of [
      [() => store.createCampaign(0), 'not the number of an owner'],
      [() => store.issueKey(1.5), 'not the number of an owner'],
      [() => store.createMirror(campaign, 'https://second.example/'), `campaign ${campaign} `],
      [() => store.createMirror(4711 as typeof campaign, 'https://first.example/'), 'campaign 4711 '],
      [() => store.createMirror(other, 'ftp://first.example/'), 'it must start with http:// or https://'],
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

  const { steps, next } = stepping();
  let issued = 0;
  const limited = new Set<string>();
  const tokens: Omit<IdentityWorld, 'identity'> = {
    issue: async (ownerId, expiresIn = 3_600, hosts) => {
      issued += 1;
      const name = `client-${issued}`;
      // Its clock is within the tolerance behind ours.
      const exp = fromNow(expiresIn - rules.clockTolerance / 1_000);
      const claims = { owner_id: ownerId, sub: name, exp, ...(hosts && { hosts: entriesOf(hosts) }) };
      const credential = await token(key as SigningKey, claims);
      if (hosts) limited.add(credential);
      return { credential, caller: { ownerId, subject: subject.of('jwt', name), ...(hosts && { hosts }) } };
    },
    unknown: () => token(other as SigningKey),
    expires: true,
    // A step asks the issuer for its keys.
    steps: (call, before) => {
      issuer.answer = async (_, response) => {
        if ((await next()) === 'go on') response.end(JSON.stringify({ keys: [key?.jwk] }));
        else response.destroy();
      };
      return steps(call, before).finally(() => {
        issuer.answer = undefined;
      });
    },
  };
  // Each call knows no keys yet. Where the claim has a meaning, each token must have it.
  const anew = (hostsClaim?: string) =>
    new JwtIdentity({ ...rules, hostsClaim }, issuerKeys({ url: issuer.url }));
  const identity = {
    whoIs: (credential: string) => anew(limited.has(credential) ? 'hosts' : undefined).whoIs(credential),
  };
  casesOf('alone', identityCases, () => ({ ...tokens, identity }), ['revoke', 'issueUnknown']);

  const keys = inMemoryWorlds().identity;
  const either = keysOrTokens(keys.identity, identity);
  casesOf('tokens beside keys', identityCases, () => ({ ...tokens, identity: either }), [
    'revoke',
    'issueUnknown',
  ]);
  casesOf('keys beside tokens', identityCases, () => ({ ...keys, identity: either }), ['steps']);
});
