import { openDatabase, restoreBackup, roles } from '@campaign-mirror/adapters-persistence';
import type { BadLine, OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { rejection } from '../support/faults.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { named, tester } from '../support/store/operator.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import {
  after as afterwards,
  change,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newOwner,
} from '../support/store/world.ts';
import { linesOf } from './import-lines.ts';

const makesDefault = 'update campaign_mirror.campaigns set is_default = true where id = $1';
const givesTo = 'update campaign_mirror.campaigns set owner_id = $2 where id = $1';

describe('what a rival changes at the same time, where transactions are repeatable reads by default', () => {
  const service = liveServiceOf('suite');
  const readRepeatably = ({ admin, name }: TestDatabase) =>
    admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
  before(() => readRepeatably(service.database));

  /** What comes of an act that begins while a rival holds what it has changed, and ends then. */
  async function meanwhile<T>(
    [statement, ...values]: [string, ...unknown[]],
    act: () => Promise<T>,
    { end = 'commit' as 'commit' | 'rollback', database = service.database } = {},
  ): Promise<T> {
    const other = await rival(database);
    await other.run(statement, ...values);
    const acting = act();
    await untilWaiting(database, acting);
    await other[end]();
    return acting;
  }

  const acts: Record<string, (owner: OwnerId) => Promise<() => Promise<unknown>>> = {
    'set-default': async (owner) => {
      const { id } = await newCampaign(service.world, owner);
      return () => service.world.settings.setDefault(id, true);
    },
    transfer: async (owner) => {
      const { id } = await newCampaign(service.world, newOwner(), true);
      return () => service.world.settings.transfer(id, owner);
    },
    create: async (owner) => () => service.world.settings.createCampaign({ owner, isDefault: true }),
  };
  for (const [name, prepared] of Object.entries(acts)) {
    it(`${name}: the default campaign that a rival commits first is told; one that it takes back is none`, async () => {
      const owner = newOwner();
      const { id } = await newCampaign(service.world, owner);
      const act = await prepared(owner);
      const refused = await meanwhile([makesDefault, id], act);
      expect(refused).to.deep.equal({ kind: 'owner-has-default', ownerId: owner, id, name: null });
      await service.world.settings.setDefault(id, false);
      expect(await meanwhile([makesDefault, id], act, { end: 'rollback' }))
        .to.have.property('kind')
        .that.is.oneOf(['changed', 'transferred', 'created']);
    });
  }

  it('a campaign is transferred from, and deleted of, the owner that it has by then, if that was agreed to', async () => {
    const { id } = await newCampaign(service.world);
    const seen = await service.world.records.find(id);
    const [first, second, third] = [newOwner(), newOwner(), newOwner()];
    const { settings } = service.world;
    const kept = await meanwhile([givesTo, id, first], () => settings.deleteCampaign(id, seen));
    expect(kept).to.deep.equal({ kind: 'changed-meanwhile' });
    const transferred = await meanwhile([givesTo, id, second], () => settings.transfer(id, newOwner()));
    expect(transferred).to.deep.equal({ kind: 'transferred', from: second });
    const deleted = await meanwhile([givesTo, id, third], () => settings.deleteCampaign(id));
    expect(deleted).to.have.nested.property('campaign.ownerId', third);
  });

  it('a mirror whose address is being set is not deleted as it was before; a click is waited for, and in the audit', async () => {
    const { seen, mirror } = await service.campaign();
    const campaign = await service.world.records.find(seen.id);
    const sets = 'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1';
    const { settings, others, audit } = service.world;
    const kept = await meanwhile([sets, seen.id, afterwards], () =>
      settings.deleteCampaign(seen.id, campaign),
    );
    expect(kept).to.deep.equal({ kind: 'changed-meanwhile' });
    expect(await others.mirror(seen.id)).to.deep.equal({ ...mirror, targetUrl: afterwards });

    const counts = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1';
    const deleted = await meanwhile([counts, seen.id], () => settings.deleteCampaign(seen.id));
    expect(deleted).to.have.nested.property('campaign.mirror.clicks', 1);
    const [entry] = await audit.list({ campaign: seen.id, limit: 1 });
    expect(entry?.details).to.include({ clicks: 1 });
  });

  it('a mirror is not created for a campaign that is being deleted', async () => {
    const { id } = await newCampaign(service.world);
    const deletes = 'delete from campaign_mirror.campaigns where id = $1';
    const done = await meanwhile([deletes, id], () => service.world.settings.createMirror(id, afterwards));
    expect(done).to.deep.equal({ kind: 'campaign-not-found' });
  });

  it('a key that another revokes is not rotated; of two rotations the second hears which key took its place', async () => {
    const { accessKeys } = service.world;
    const owner = newOwner();
    const { id } = await accessKeys.issue({ owner, name: named('script') });
    const holds = 'select from campaign_mirror.access_keys where id = $1 for update';
    const rotate = () => accessKeys.rotate(id, { grace: 60 });
    const answers = await meanwhile([holds, id], () => Promise.all([rotate(), rotate()]));
    expect(answers.map(({ kind }) => kind)).to.have.members(['rotated', 'key-replaced']);
    const [next, ...others] = (await accessKeys.list({ owner, limit: 9 })).filter((one) => one.id !== id);
    expect(others).to.deep.equal([]);
    const revokes = 'update campaign_mirror.access_keys set revoked_at = now() where id = $1';
    const rotated = await meanwhile([revokes, next?.id], () =>
      accessKeys.rotate(next?.id ?? id, { grace: 0 }),
    );
    expect(rotated).to.deep.equal({ kind: 'key-revoked' });
  });

  for (const company of [undefined, 'in company', 'beside a chain'] as const) {
    it(`a mirror that another sets is set from there, ${company ?? 'alone'}`, async () => {
      const world = await postgresWorld(service.database, company && { company });
      const { seen, by } = await liveCampaign(world);
      const rivals = "update campaign_mirror.mirrors set target_url = 'https://example.com/rival'";
      expect(await meanwhile([rivals], () => mirrorSet(world, seen, change(by)))).to.include({
        targetUrl: afterwards,
      });
      const [row] = await world.others.history(seen.id);
      expect(row).to.include({ addressBefore: 'https://example.com/rival', addressAfter: afterwards });
      await world.close();
    });
  }

  it('a number that another takes makes a bad line of an import', async () => {
    const bad: BadLine[] = [];
    const lines = linesOf({ id: '5000', owner_id: '1' });
    const takes = 'insert into campaign_mirror.campaigns (id, owner_id) values (5000, 9)';
    const outcome = await meanwhile([takes], () =>
      service.world.imports.importAll('some.csv', lines, async (one) => void bad.push(one)),
    );
    expect(outcome).to.deep.equal({ kind: 'refused', badLines: 1 });
    expect(bad).to.deep.equal([{ line: 2, fault: { kind: 'campaign-taken', id: 5000, line: null } }]);
  });

  it('nothing is restored where another writes first', async () => {
    const database = await freshDatabase();
    await readRepeatably(database);
    const { pool, close } = await openDatabase(database.address('operator'));
    async function* nothing(): AsyncGenerator<Buffer> {
      yield* [];
    }
    const refused = await meanwhile(
      ['insert into campaign_mirror.campaigns (owner_id) values (9)'],
      () => rejection(restoreBackup(pool, tester, { source: 'good', bytes: nothing() })),
      { database },
    );
    expect(refused).to.have.property('message').that.includes('there are rows in campaigns');
    await close();
  });

  it('an import that takes numbers in another order, and so is ended by PostgreSQL (40P01), is tried again', async () => {
    const { database } = service;
    const { rows } = await database.admin.query('select current_user as admin');
    // A session looks for a deadlock once in each of its waits, so long after it began: the rival never does.
    await database.admin.query(`alter database ${database.name} set deadlock_timeout = '10ms'`);
    const world = await postgresWorld(database);
    const take = (id: number) => `insert into campaign_mirror.campaigns (id, owner_id) values (${id}, 9)`;
    const [bystander, other] = [await rival(database), await rival(database)];
    await bystander.run(take(7005));
    await other.run("set local deadlock_timeout = '1h'");
    await other.run(take(7006));
    const lines = linesOf(...['7004', '7005', '7006'].map((id) => ({ id, owner_id: '1' })));
    const importing = world.imports.importAll('some.csv', lines, async () => {});
    await untilWaiting(database, importing);
    const gotBoth = other.run(take(7004));
    await untilWaiting(database, importing, 2, [roles.operator, rows[0].admin]);
    // It waits for one after the other: the wait for the rival begins now, with the rival already waiting for it.
    await bystander.rollback();
    // Only its end lets the rival come so far.
    await gotBoth;
    await untilWaiting(database, importing);
    await other.rollback();
    expect(await importing).to.deep.equal({ kind: 'imported', campaigns: 3, mirrors: 0 });
    await world.close();
  });
});
