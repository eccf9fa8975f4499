import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openHotPath, PostgresAccessKeys, schema } from '@campaign-mirror/adapters-persistence';
import { type Label, type MirrorAddress, type OwnerId, SetCampaignMirror } from '@campaign-mirror/domain';
import { type Case, campaignRepositoryCases, identityCases, missing } from '@campaign-mirror/port-contracts';
import { RequestContext } from '@mikro-orm/postgresql';
import { Advert, advertise, openBeside } from './adverts.ts';
import { listener } from './application.ts';
import { openOrm } from './entities.ts';
import { worldsOf } from './world.ts';

const orm = await openOrm(process.env.DATABASE_URL ?? '');
const { campaigns, identity } = await worldsOf(orm);
before(() => orm.schema.update());
after(() => orm.close());

function each<World>(port: string, cases: readonly Case<World>[], world: World): void {
  describe(port, () => {
    for (const promise of cases) {
      const lacking = missing(promise, world);
      test(promise.name, { skip: lacking ? `not applicable: no ${lacking}` : false }, () =>
        promise.run(world),
      );
    }
  });
}
each('CampaignRepository', campaignRepositoryCases, campaigns);
each('Identity', identityCases, identity);

test('the call sets the mirror of a campaign of the application, and its own route shows it', async (context) => {
  const server = createServer(listener(orm)).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const owner = 7 as OwnerId;
  const campaign = await campaigns.others.createCampaign(owner);
  await campaigns.others.createMirror(campaign, 'https://first.example/' as MirrorAddress, 0);
  const set = async (of: OwnerId) => {
    const { credential } = await identity.issue(of);
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ mirror_endpoint: 'https://second.example/?click={click_id}' });
    const url = `${site}/public/v1/mirror/campaign/${campaign}/mirror`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  assert.deepEqual([await set(8 as OwnerId), await set(owner)], [403, 200]);
  const shown = (await (await fetch(`${site}/campaigns`)).json()) as { id: number; mirror: object }[];
  const { mirror } = shown.find(({ id }) => id === campaign) ?? {};
  assert.equal(Object(mirror).targetUrl, 'https://second.example/?click={click_id}');
});

test("entities of the application's own, beside Campaign Mirror's store in the same database", async (context) => {
  const opened = await openBeside(process.env.DATABASE_URL ?? '');
  const { store, orm: theirs } = opened;
  context.after(() => Promise.all([store.close(), theirs.close()]));
  await theirs.schema.update({ safe: true });
  assert.ok(!(await theirs.schema.getUpdateSchemaSQL()).includes(schema));

  const [owner, name] = [7 as OwnerId, 'adverts' as Label];
  const address = 'https://first.example/' as MirrorAddress;
  // A web application wraps its requests like this.
  const campaign = await RequestContext.create(theirs.em, () =>
    advertise(opened, 'shoes', { owner, address }),
  );
  const { key } = await new PostgresAccessKeys(store.orm, { operator: 'test', requestId: 'test' }).issue({
    owner,
    name,
  });
  const { campaigns, identity } = openHotPath(store.pool);
  const second = 'https://second.example/';
  const call = { credential: key, campaign, address: second, requestId: 'test' };
  assert.equal((await new SetCampaignMirror(campaigns, identity).execute(call)).kind, 'mirror-set');
  const [advert] = await theirs.em.fork().findAll(Advert, { populate: ['mirror'] });
  assert.deepEqual([advert?.title, advert?.mirror.targetUrl], ['shoes', second]);
});
