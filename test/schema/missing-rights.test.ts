import { heldRights, rightsOf, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { grants } from '../../packages/adapters-persistence/src/schema/grants.ts';
import { connect } from '../support/database/client.ts';
import { freshDatabase } from '../support/database/database-server.ts';
import { postgresPorts } from '../support/store/postgres-world.ts';
import { after as afterwards, change, liveCampaign, mirrorSet } from '../support/store/world.ts';

describe('contract: the data around it — the rights that the service lacks', () => {
  it('are named one by one, and with just those that are named the service works', async () => {
    const database = await freshDatabase();
    const service = await connect(database.address('service'));
    const missing = async () => rightsOf('service', await heldRights(service)).missing;
    expect(await missing()).to.deep.equal([]);

    await database.admin.query(`revoke all on all tables in schema campaign_mirror from ${roles.service}`);
    await database.admin.query(`revoke all on schema campaign_mirror from ${roles.service}`);
    const lost = await missing();
    expect(lost).to.include.members([
      'usage on schema campaign_mirror',
      'update on campaigns',
      'select on access_keys',
      'insert on mirror_history',
    ]);
    await database.admin.query(`grant usage on schema campaign_mirror to ${roles.service}`);
    for (const [at, { right, on, columns }] of grants.service.entries()) {
      expect(await missing()).to.deep.equal(lost.slice(at + 1));
      const columnsOf = `${columns ? `(${columns.join(', ')})` : ''} on campaign_mirror.${on}`;
      await database.admin.query(`grant ${right} ${columnsOf} to ${roles.service}`);
    }
    expect(await missing()).to.deep.equal([]);

    const ports = await postgresPorts(database);
    const { seen, by, key } = await liveCampaign(ports);
    expect(await ports.identity.whoIs(key)).to.deep.equal(by);
    expect(await ports.campaigns.find(seen.id)).to.deep.equal(seen);
    expect(await mirrorSet(ports, seen, change(by))).to.include({ targetUrl: afterwards });
    await ports.close();
    await service.end();
  });
});
