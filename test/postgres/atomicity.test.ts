import {
  type Database,
  openDatabase,
  postgresOperatorMirrors,
} from '@campaign-mirror/adapters-persistence/service';
import type { HistoryId } from '@campaign-mirror/domain';
import { changeMirror, noHosts, type OperatorMirrors } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { meanwhile } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { transfer } from '../support/store/grouped.ts';
import { type Live, newOwner, tester } from '../support/store/world.ts';

const [second, third] = ['https://example.com/second', 'https://example.com/third'];
const rivals = 'https://example.com/rival';

describe('contract: atomicity — a restore while a rival holds the campaign', () => {
  const service = groupedOf('suite');
  let operator: Database;
  let mirrors: OperatorMirrors;
  before(async () => {
    operator = await openDatabase(service.database.address('operator'));
    mirrors = postgresOperatorMirrors(operator.pool, tester);
  });
  after(() => operator.close());

  const historyOf = ({ seen }: Live) => service.world.others.history(seen.id);
  const mirrorOf = ({ seen }: Live) => service.world.others.mirror(seen.id);

  /** Restores `second` on a campaign that is at `third`, after the rival's statement is committed. */
  async function restored(statement: string, ...values: readonly unknown[]) {
    const live = await service.campaign();
    for (const address of [second, third]) await service.set(live, address);
    const campaign = live.seen.id;
    const [row] = await historyOf(live);
    const act = { kind: 'mirror-restored', details: { change: row?.id as HistoryId } } as const;
    const restore = () => changeMirror({ mirrors, denied: noHosts, act }, { campaign, address: second });
    return { live, outcome: await meanwhile(service.database, [statement, campaign, ...values], restore) };
  }

  for (const [because, statement] of [
    ['default-campaign', 'update campaign_mirror.campaigns set is_default = true where id = $1'],
    ['mirror-not-created', 'delete from campaign_mirror.mirrors where campaign_id = $1'],
    ['campaign-not-found', 'delete from campaign_mirror.campaigns where id = $1'],
  ] as const)
    it(`is refused as ${because} after: ${statement}`, async () => {
      const { outcome, live } = await restored(statement);
      expect(outcome).to.include({ outcome: 'not-set', because });
      const there = statement.startsWith('delete') ? undefined : third;
      expect((await mirrorOf(live))?.targetUrl).to.equal(there);
      expect(await historyOf(live)).to.have.length(2);
      const audit = await service.world.audit.list({ campaign: live.seen.id, limit: 10 });
      expect(audit.map((entry) => entry.act)).not.to.include('mirror-restored');
    });

  it('records the address that it really replaced, at a later time than the rival set it', async () => {
    const { outcome, live } = await restored(
      `update campaign_mirror.mirrors set target_url = $2, updated_at = '2199-01-01T00:00:00.000001Z'
      where campaign_id = $1`,
      rivals,
    );
    expect(outcome).to.have.property('outcome', 'set');
    const changedAt = '2199-01-01T00:00:00.000002Z';
    const change = { addressBefore: rivals, addressAfter: second, changedAt, subject: 'operator' };
    const rows = await historyOf(live);
    expect(rows).to.have.length(3);
    expect(rows[2]).to.include(change);
    expect(await mirrorOf(live)).to.include({ targetUrl: second, updatedAt: changedAt });
    const [entry] = await service.world.audit.list({ campaign: live.seen.id, limit: 1 });
    expect(entry?.details).to.include({ address_before: rivals, address_after: second });
  });

  it('records the owner to whom the rival transferred the campaign', async () => {
    const owner = newOwner();
    const { outcome, live } = await restored(transfer, owner);
    expect(outcome).to.have.property('outcome', 'set');
    expect((await historyOf(live)).at(-1)).to.include({ ownerId: owner });
  });
});
