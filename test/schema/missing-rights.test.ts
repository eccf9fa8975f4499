import { missingRightsSql, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { freshDatabase } from '../support/database/database-server.ts';
import { postgresPorts } from '../support/store/postgres-world.ts';
import { after as afterwards, change, liveCampaign, mirrorSet } from '../support/store/world.ts';

describe('contract: the data around it — the rights that the service lacks', () => {
  it('are named one by one, and with just those that are named the service works', async () => {
    const database = await freshDatabase();
    const service = await connect(database.address('service'));
    const missing = async (): Promise<string[]> => {
      const { rows } = await service.query(missingRightsSql);
      return rows.map((row) => row.right_needed);
    };
    expect(await missing()).to.deep.equal([]);

    await database.admin.query(`revoke all on all tables in schema campaign_mirror from ${roles.service}`);
    await database.admin.query(`revoke all on schema campaign_mirror from ${roles.service}`);
    const lost = await missing();
    expect(lost).to.include.members([
      'usage on schema campaign_mirror',
      'update (lock_anchor) on campaign_mirror.campaigns',
      'select (clicks) on campaign_mirror.mirrors',
      'select (hash) on campaign_mirror.access_keys',
      'insert (request_id) on campaign_mirror.mirror_history',
    ]);
    for (const [at, right] of lost.entries()) {
      await database.admin.query(`grant ${right} to ${roles.service}`);
      expect(await missing()).to.deep.equal(lost.slice(at + 1));
    }

    const ports = await postgresPorts(database);
    const { seen, by, key } = await liveCampaign(ports);
    expect(await ports.identity.whoIs(key)).to.deep.equal(by);
    expect(await ports.campaigns.find(seen.id)).to.deep.equal(seen);
    expect(await mirrorSet(ports, seen, change(by))).to.include({ targetUrl: afterwards });
    await ports.close();
    await service.end();
  });
});
