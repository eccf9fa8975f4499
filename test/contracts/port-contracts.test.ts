import { issuerKeys, JwtIdentity, keysOrTokens } from '@campaign-mirror/adapters-jwt';
import { subject } from '@campaign-mirror/domain';
import { entriesOf } from '@campaign-mirror/domain/operator';
import { campaignRepositoryCases, type IdentityWorld, identityCases } from '@campaign-mirror/port-contracts';
import { databaseOf } from '../support/process/lives.ts';
import { postgresWorld, type World } from '../support/store/postgres-world.ts';
import { fromNow, rules, type SigningKey, signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';
import { postgresWorlds } from './postgres-worlds.ts';
import { casesOf, inMemoryWorlds, stepping, type Worlds } from './worlds.ts';

describe('the store in memory keeps the contracts of the ports', () => {
  const worlds = inMemoryWorlds();
  casesOf('CampaignRepository', campaignRepositoryCases, () => worlds.campaigns, ['steps']);
  casesOf('Identity', identityCases, () => worlds.identity, ['steps']);
});

for (const inBatch of [false, true]) {
  describe(`PostgreSQL keeps the contracts of the ports, ${inBatch ? 'in a batch' : 'alone'}`, () => {
    let world: World;
    let worlds: Worlds;
    after(() => world?.close());
    const database = databaseOf('suite');
    before(async () => {
      // Times leave the database as UTC in ISO 8601, whatever its defaults are.
      const { admin, name } = database;
      await admin.query(`alter database ${name} set timezone = 'America/St_Johns'`);
      await admin.query(`alter database ${name} set datestyle = 'SQL, DMY'`);
      world = await postgresWorld(database);
      worlds = await postgresWorlds({ ...world, database }, inBatch);
    });
    casesOf('CampaignRepository', campaignRepositoryCases, () => worlds.campaigns);
    casesOf('Identity', identityCases, () => worlds.identity);
  });
}

describe('signed tokens keep the contract of Identity', () => {
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
      // The tolerance for clocks that differ is added to this time.
      const exp = fromNow(expiresIn - rules.clockTolerance / 1_000);
      const claims = { owner_id: ownerId, sub: name, exp, ...(hosts && { hosts: entriesOf(hosts) }) };
      const credential = await token(key as SigningKey, claims);
      if (hosts) limited.add(credential);
      return { credential, caller: { ownerId, subject: subject.of('jwt', name), ...(hosts && { hosts }) } };
    },
    unknown: () => token(other as SigningKey),
    expires: true,
    // Each request for the issuer's keys is a step.
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
  // A new one for each call, so that it fetches the keys. With a claim for hosts, each token must have it.
  const fresh = (hostsClaim?: string) =>
    new JwtIdentity({ ...rules, hostsClaim }, issuerKeys({ url: issuer.url }));
  const identity = {
    whoIs: (credential: string) => fresh(limited.has(credential) ? 'hosts' : undefined).whoIs(credential),
  };
  const without = ['revoke', 'issueUnknown'];
  casesOf('alone', identityCases, () => ({ ...tokens, identity }), without);

  const keys = inMemoryWorlds().identity;
  const either = keysOrTokens(keys.identity, identity);
  casesOf('tokens beside keys', identityCases, () => ({ ...tokens, identity: either }), without);
  casesOf('keys beside tokens', identityCases, () => ({ ...keys, identity: either }), ['steps']);
});
