import {
  type Database,
  defaultPoolLimits,
  openDatabase,
  restoreBackup,
} from '@campaign-mirror/adapters-persistence';
import { type BadLine, campaignId, type LineFault } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { rejection } from '../support/faults.ts';
import { linesOf } from '../support/store/import-lines.ts';
import { named, tester } from '../support/store/operator.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import {
  after,
  change,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newOwner,
  type World,
} from '../support/store/world.ts';

describe('a database whose transactions are repeatable reads by default', () => {
  let database: TestDatabase;
  let world: World;
  beforeEach(async () => {
    database = await freshDatabase();
    await database.admin.query(
      `alter database ${database.name} set default_transaction_isolation = 'repeatable read'`,
    );
    world = await postgresWorld(database);
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  /** What comes of an act that begins while a rival holds what it has changed, and commits then. */
  async function meanwhile<T>(statement: string, act: () => Promise<T>): Promise<T> {
    const other = await rival(database);
    await other.run(statement);
    const acting = act();
    await untilWaiting(database, acting);
    await other.commit();
    return acting;
  }

  it('a campaign is transferred from, and deleted of, the owner that it has by then', async () => {
    const { id } = await newCampaign(world);
    const [theirs, last, mine] = [newOwner(), newOwner(), newOwner()];
    const given = (to: number) => `update campaign_mirror.campaigns set owner_id = ${to} where id = ${id}`;
    const transferred = await meanwhile(given(theirs), () => world.settings.transfer(id, mine));
    expect(transferred).to.deep.equal({ kind: 'transferred', from: theirs });
    const deleted = await meanwhile(given(last), () => world.settings.deleteCampaign(id));
    expect(deleted).to.have.nested.property('campaign.ownerId', last);
  });

  it('a key that another revokes meanwhile is not rotated', async () => {
    const { id } = await world.accessKeys.issue({ owner: newOwner(), name: named('script') });
    const revoked = `update campaign_mirror.access_keys set revoked_at = now() where id = ${id}`;
    const rotated = await meanwhile(revoked, () => world.accessKeys.rotate(id, { grace: 0 }));
    expect(rotated).to.deep.equal({ kind: 'key-revoked' });
  });

  for (const company of [undefined, 'in company', 'beside a chain'] as const) {
    it(`a mirror that another sets meanwhile is set from there, ${company ?? 'alone'}`, async () => {
      const service = await postgresWorld(database, company && { company });
      const { seen, by } = await liveCampaign(service);
      const rivals = "update campaign_mirror.mirrors set target_url = 'https://example.com/rival'";
      const set = await meanwhile(rivals, () => mirrorSet(service, seen, change(by)));
      expect(set).to.include({ targetUrl: after });
      const [row] = await service.others.history(seen.id);
      expect(row).to.include({ addressBefore: 'https://example.com/rival', addressAfter: after });
      await service.close();
    });
  }

  it('a number that another takes meanwhile makes a bad line', async () => {
    const bad: BadLine[] = [];
    const lines = linesOf({ id: '50', owner_id: '1' });
    const outcome = await meanwhile(
      'insert into campaign_mirror.campaigns (id, owner_id) values (50, 9)',
      () => world.imports.importAll('some.csv', lines, async (one) => void bad.push(one)),
    );
    expect(outcome).to.deep.equal({ kind: 'refused', badLines: 1 });
    const fault: LineFault = { kind: 'campaign-taken', id: campaignId('50') as never, line: null };
    expect(bad).to.deep.equal([{ line: 2, fault }]);
  });

  it('nothing is restored where another writes first', async () => {
    const operator: Database = await openDatabase(database.address('operator'), {
      ...defaultPoolLimits,
      size: 2,
    });
    async function* nothing(): AsyncGenerator<Buffer> {
      yield* [];
    }
    const refused = await meanwhile('insert into campaign_mirror.campaigns (owner_id) values (9)', () =>
      rejection(restoreBackup(operator.pool, tester, { source: 'good', bytes: nothing() })),
    );
    expect(refused).to.have.property('message').that.includes('there are rows in campaigns');
    await operator.close();
  });
});
