import {
  type Database,
  openDatabase,
  PostgresMirrorHistory,
  PostgresOperatorMirrors,
} from '@campaign-mirror/adapters-persistence';
import { type HistoryId, type Restoration, RestoreMirror } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { type LiveService, liveService } from '../support/process/live-service.ts';
import { hotPathOn } from '../support/store/hot-paths.ts';
import { tester } from '../support/store/operator.ts';
import { before as first, type Live, newOwner } from '../support/store/world.ts';

const second = 'https://example.com/second';
const third = 'https://example.com/third';
const rivals = 'https://example.com/rival';

describe('contract: atomicity — a rival holds what a restore waits for', () => {
  let service: LiveService;
  let operator: Database;
  let useCase: RestoreMirror;
  before(async () => {
    service = await liveService();
    operator = await openDatabase(service.database.address('operator'));
    const statements = new Statements(operator.pool);
    useCase = new RestoreMirror(
      new PostgresCampaigns(hotPathOn(statements)),
      new PostgresMirrorHistory(operator.pool),
      new PostgresOperatorMirrors(operator.pool, tester),
    );
  });
  after(async () => {
    await operator.close();
    await service.close();
  });

  it('and makes it the default campaign: the restore is refused, and nothing is written', async () => {
    const { outcome, live } = await meanwhile(({ seen }, other) =>
      other.run('update campaign_mirror.campaigns set is_default = true where id = $1', seen.id),
    );
    expect(outcome).to.deep.equal({ kind: 'refused', because: 'default-campaign' });
    await nothingWritten(live);
  });

  it('and deletes the mirror, or the campaign: the restore is refused', async () => {
    for (const [table, column, expected] of [
      ['mirrors', 'campaign_id', { kind: 'refused', because: 'mirror-not-created' }],
      ['campaigns', 'id', { kind: 'campaign-not-found' }],
    ] as const) {
      const { outcome, live } = await meanwhile(({ seen }, other) =>
        other.run(`delete from campaign_mirror.${table} where ${column} = $1`, seen.id),
      );
      expect(outcome).to.deep.equal(expected);
      expect(await service.world.others.history(live.seen.id)).to.have.length(2);
    }
  });

  it('and transfers it: the mirror is restored, and the history has the new owner', async () => {
    const owner = newOwner();
    const { outcome, live } = await meanwhile(({ seen }, other) =>
      other.run('update campaign_mirror.campaigns set owner_id = $2 where id = $1', seen.id, owner),
    );
    expect(outcome.kind).to.equal('restored');
    expect((await service.world.others.history(live.seen.id)).at(-1)).to.include({ ownerId: owner });
  });

  it('and sets another address: history and audit tell which one was really replaced', async () => {
    const { outcome, live } = await meanwhile(({ seen }, other) =>
      other.run('update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1', seen.id, rivals),
    );
    expect(outcome).to.have.nested.property('mirror.targetUrl', first);
    const last = (await service.world.others.history(live.seen.id)).at(-1);
    expect(last).to.include({ subject: 'operator', addressBefore: rivals, addressAfter: first });
    const [entry] = await service.world.audit.list({ campaign: live.seen.id, limit: 1 });
    expect(entry?.details).to.include({ address_before: rivals, address_after: first });
  });

  it('a key’s update and a restore that wait together make one unbroken chain', async () => {
    const { live, oldest } = await changedTwice();
    const restore = () => useCase.execute({ campaign: live.seen.id, change: oldest, address: 'before' });
    const outcomes = await service.world.others.atOnce<{ kind: string }>(live.seen.id, [
      () => service.set(live, rivals),
      restore,
      () => service.set(live, third),
      restore,
    ]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal([
      'mirror-set',
      'restored',
      'mirror-set',
      'restored',
    ]);
    const history = await service.world.others.history(live.seen.id);
    expect(history).to.have.length(6);
    expect(history.map((row) => row.addressBefore)).to.deep.equal([
      first,
      ...history.slice(0, -1).map((row) => row.addressAfter),
    ]);
    const times = history.map((row) => row.changedAt);
    expect(times).to.deep.equal([...new Set(times)].toSorted());
    expect(await service.world.others.mirror(live.seen.id)).to.include({
      targetUrl: history.at(-1)?.addressAfter,
    });
  });

  /** A campaign whose mirror went from `first` to `second` to `third`. */
  async function changedTwice(): Promise<{ live: Live; oldest: HistoryId }> {
    const live = await service.campaign();
    await service.set(live, second);
    await service.set(live, third);
    const [row] = await service.world.others.history(live.seen.id);
    return { live, oldest: row?.id as HistoryId };
  }

  /** The rival does its part, the restore begins and waits, the rival commits. */
  async function meanwhile(
    part: (live: Live, other: Rival) => Promise<void>,
  ): Promise<{ outcome: Restoration; live: Live }> {
    const { live, oldest } = await changedTwice();
    const other = await rival(service.database);
    let call: Promise<Restoration>;
    try {
      await part(live, other);
      call = useCase.execute({ campaign: live.seen.id, change: oldest, address: 'before' });
      await untilWaiting(service.database, call);
    } catch (error) {
      await other.rollback();
      throw error;
    }
    await other.commit();
    return { outcome: await call, live };
  }

  async function nothingWritten({ seen }: Live): Promise<void> {
    expect(await service.world.others.mirror(seen.id)).to.include({ targetUrl: third });
    expect(await service.world.others.history(seen.id)).to.have.length(2);
    const acts = (await service.world.audit.list({ campaign: seen.id, limit: 10 })).map(({ act }) => act);
    expect(acts).not.to.include('mirror-restored');
  }
});
