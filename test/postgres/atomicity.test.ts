import {
  type Database,
  openDatabase,
  postgresOperatorMirrors,
} from '@campaign-mirror/adapters-persistence/service';
import type { HistoryId, Outcome } from '@campaign-mirror/domain';
import {
  type ChangeOutcome,
  changeMirror,
  noHosts,
  type OperatorMirrors,
} from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { meanwhile } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { transfer } from '../support/store/grouped.ts';
import { type Live, newOwner, tester } from '../support/store/world.ts';

const [second, third] = ['https://example.com/second', 'https://example.com/third'];
const [fourth, rivals] = ['https://example.com/fourth', 'https://example.com/rival'];

/** A campaign whose mirror went to `second` and to `third`. */
interface Changed extends Live {
  readonly oldest: HistoryId;
}
type Act = (live: Changed) => Promise<Outcome | ChangeOutcome>;

describe('contract: atomicity — a rival holds the campaign', () => {
  const service = groupedOf('suite');
  let operator: Database;
  let mirrors: OperatorMirrors;
  before(async () => {
    operator = await openDatabase(service.database.address('operator'));
    mirrors = postgresOperatorMirrors(operator.pool, tester);
  });
  after(() => operator.close());

  const update: Act = (live) => service.set(live, fourth);
  const restore: Act = ({ seen, oldest: change }) => {
    const act = { kind: 'mirror-restored', details: { change } } as const;
    return changeMirror({ mirrors, denied: noHosts, act }, { campaign: seen.id, address: second });
  };

  const historyOf = ({ seen }: Live) => service.world.others.history(seen.id);
  const mirrorOf = ({ seen }: Live) => service.world.others.mirror(seen.id);

  for (const [what, statement, expected] of [
    [
      'makes it the default campaign',
      'update campaign_mirror.campaigns set is_default = true where id = $1',
      'default-campaign',
    ],
    [
      'deletes the mirror',
      'delete from campaign_mirror.mirrors where campaign_id = $1',
      'mirror-not-created',
    ],
    ['deletes the campaign', 'delete from campaign_mirror.campaigns where id = $1', 'campaign-not-found'],
  ] as const)
    it(`and ${what}: a restore is refused, and nothing is written`, async () => {
      const { outcome, live } = await whileRival(restore, statement);
      expect(outcome).to.include({ outcome: 'not-set', because: expected });
      const there = statement.startsWith('delete') ? undefined : third;
      expect((await mirrorOf(live))?.targetUrl).to.equal(there);
      expect(await historyOf(live)).to.have.length(2);
      const audit = await service.world.audit.list({ campaign: live.seen.id, limit: 10 });
      expect(audit.map((entry) => entry.act)).not.to.include('mirror-restored');
    });

  it('and sets another address: history and audit of a restore tell which one was replaced, and times rise', async () => {
    const { outcome, live } = await whileRival(
      restore,
      `update campaign_mirror.mirrors set target_url = $2, updated_at = '2199-01-01T00:00:00.000001Z'
      where campaign_id = $1`,
      rivals,
    );
    expect(outcome).to.have.property('outcome', 'set');
    const rows = await historyOf(live);
    expect(rows).to.have.length(3);
    const changedAt = '2199-01-01T00:00:00.000002Z';
    const change = { addressBefore: rivals, addressAfter: second, changedAt, subject: 'operator' };
    expect(rows[2]).to.include(change);
    expect(await mirrorOf(live)).to.include({ targetUrl: second, updatedAt: changedAt });
    const [entry] = await service.world.audit.list({ campaign: live.seen.id, limit: 1 });
    expect(entry?.details).to.include({ address_before: rivals, address_after: second });
  });

  it('and transfers it: an update by the owner of before is refused; a restore has the new owner in the history', async () => {
    const owner = newOwner();
    const updated = await whileRival(update, transfer, owner);
    expect(updated.outcome).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    expect(await historyOf(updated.live)).to.have.length(2);
    const restored = await whileRival(restore, transfer, owner);
    expect(restored.outcome).to.have.property('outcome', 'set');
    expect((await historyOf(restored.live)).at(-1)).to.include({ ownerId: owner });
  });

  async function changedTwice(): Promise<Changed> {
    const live = await service.campaign();
    for (const address of [second, third]) await service.set(live, address);
    const [row] = await historyOf(live);
    return { ...live, oldest: row?.id as HistoryId };
  }

  /** The rival runs this of the campaign, the act begins and waits, the rival commits. */
  async function whileRival(act: Act, text: string, ...values: readonly unknown[]) {
    const live = await changedTwice();
    const run = () => act(live);
    return { outcome: await meanwhile(service.database, [text, live.seen.id, ...values], run), live };
  }
});
