import type { Outcome } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { after as afterwards, type Live, newOwner } from '../support/store/world.ts';

const rivals = 'https://example.com/rival';

describe(`contract: atomicity — a rival holds what the update waits for`, () => {
  const service = liveServiceOf('suite');

  const refusals: [what: string, statement: string, outcome: Outcome['kind'], because?: string][] = [
    [
      'transfers the campaign',
      'update campaign_mirror.campaigns set owner_id = 1 where id = $1',
      'refused',
      'not-the-owner',
    ],
    [
      'makes it the default campaign',
      'update campaign_mirror.campaigns set is_default = true where id = $1',
      'refused',
      'default-campaign',
    ],
    [
      'deletes the mirror',
      'delete from campaign_mirror.mirrors where campaign_id = $1',
      'refused',
      'mirror-not-created',
    ],
    ['deletes the campaign', 'delete from campaign_mirror.campaigns where id = $1', 'campaign-not-found'],
  ];
  for (const [what, statement, kind, because] of refusals) {
    it(`and ${what}: ${because ?? kind}, and nothing is written`, async () => {
      const { outcome, live } = await meanwhile(({ seen }, other) => other.run(statement, seen.id));
      expect(outcome).to.deep.equal(because ? { kind, because } : { kind });
      const { mirror, history } = service.world.others;
      expect(await mirror(live.seen.id)).to.deep.equal(
        statement.startsWith('delete') ? undefined : live.mirror,
      );
      expect(await history(live.seen.id)).to.deep.equal([]);
    });
  }

  it('and creates the mirror anew: the new one is set', async () => {
    const { outcome, live } = await meanwhile(async ({ seen }, other) => {
      await other.run('delete from campaign_mirror.mirrors where campaign_id = $1', seen.id);
      const insert = 'insert into campaign_mirror.mirrors (campaign_id, target_url) values ($1, $2)';
      await other.run(insert, seen.id, rivals);
    });
    const mirror = await service.world.others.mirror(live.seen.id);
    expect(outcome).to.deep.equal({ kind: 'mirror-set', mirror });
    expect(mirror?.id).not.to.equal(live.mirror.id);
    const history = await service.world.others.history(live.seen.id);
    expect(history.map((row) => [row.mirrorId, row.addressBefore, row.addressAfter])).to.deep.equal([
      [mirror?.id, rivals, afterwards],
    ]);
  });

  it('and changes its mind: the mirror is set', async () => {
    const { outcome, live } = await meanwhile(
      ({ seen }, other) =>
        other.run('update campaign_mirror.campaigns set owner_id = $2 where id = $1', seen.id, newOwner()),
      'rollback',
    );
    expect(outcome.kind).to.equal('mirror-set');
    expect(await service.world.others.mirror(live.seen.id)).to.include({ targetUrl: afterwards });
  });

  it('and transfers it there and back: the mirror is set', async () => {
    const { outcome } = await meanwhile(async ({ seen }, other) => {
      const transfer = 'update campaign_mirror.campaigns set owner_id = $2 where id = $1';
      await other.run(transfer, seen.id, newOwner());
      await other.run(transfer, seen.id, seen.ownerId);
    });
    expect(outcome.kind).to.equal('mirror-set');
  });

  it('and sets another address: the history tells which one was really replaced, and times rise', async () => {
    const { outcome, live } = await meanwhile(({ seen }, other) =>
      other.run(
        `update campaign_mirror.mirrors set target_url = $2, updated_at = '2199-01-01T00:00:00.000001Z'
       where campaign_id = $1`,
        seen.id,
        rivals,
      ),
    );
    expect(outcome).to.have.property('kind', 'mirror-set');
    const [row, ...more] = await service.world.others.history(live.seen.id);
    expect(more).to.deep.equal([]);
    expect(row).to.include({
      addressBefore: rivals,
      addressAfter: afterwards,
      changedAt: '2199-01-01T00:00:00.000002Z',
    });
    expect(await service.world.others.mirror(live.seen.id)).to.include({ updatedAt: row?.changedAt });
  });

  it('and keeps it for a while: the time of the update is taken after the wait', async () => {
    const { outcome, ended } = await meanwhile(({ seen }, other) =>
      other.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', seen.id),
    );
    const updatedAt = outcome.kind === 'mirror-set' ? outcome.mirror.updatedAt : '';
    expect([ended, updatedAt]).to.deep.equal([ended, updatedAt].toSorted());
  });

  it('and counts a click: it is not lost', async () => {
    const { outcome, live } = await meanwhile(({ seen }, other) =>
      other.run('update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1', seen.id),
    );
    expect(outcome).to.have.nested.property('mirror.clicks', 1);
    expect(await service.world.others.mirror(live.seen.id)).to.include({
      clicks: 1,
      targetUrl: afterwards,
    });
  });

  it('and revokes the key, which was checked before: it may still have that one write', async () => {
    const { outcome, live } = await meanwhile(async ({ seen }, other) => {
      await other.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', seen.id);
      await other.run(
        'update campaign_mirror.access_keys set revoked_at = now() where owner_id = $1',
        seen.ownerId,
      );
    });
    expect(outcome.kind).to.equal('mirror-set');
    expect(await service.set(live, rivals)).to.deep.equal({ kind: 'unauthenticated' });
  });

  /** The rival does its part, the update begins and waits, the rival ends. */
  async function meanwhile(
    part: (live: Live, other: Rival) => Promise<void>,
    how: 'commit' | 'rollback' = 'commit',
  ): Promise<{ outcome: Outcome; live: Live; ended: string }> {
    const live = await service.campaign();
    const other = await rival(service.database);
    let call: Promise<Outcome>;
    try {
      await part(live, other);
      call = service.set(live, afterwards);
      await untilWaiting(service.database, call);
    } catch (error) {
      await other.rollback();
      throw error;
    }
    const ended = await service.world.others.clock();
    await other[how]();
    return { outcome: await call, live, ended };
  }
});
