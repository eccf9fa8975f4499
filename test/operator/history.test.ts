import type {
  AccessKeyId,
  CampaignId,
  HistoryEntry,
  HistoryPosition,
  Timestamp,
} from '@campaign-mirror/domain';
import { subject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { worldOf } from '../support/process/lives.ts';
import { change, liveCampaign, mirrorSet, newCampaign } from '../support/store/world.ts';

const longAgo = '2001-01-01T00:00:00.000001Z';
/** Between that and this nothing else is recorded. */
const sinceThen = '2001-06-01T00:00:00.000000Z' as Timestamp;
/** In seconds. */
const day = 86_400;

describe("the operator's history", () => {
  const world = worldOf('suite');
  const recorded = (campaign: CampaignId, times: readonly string[], key?: AccessKeyId) =>
    world.database.admin.query(
      `insert into campaign_mirror.mirror_history
        (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
      select $1, 1, case when $3::bigint is null then 'operator' else 'key' end, $3, 1,
        'https://a.example/', 'https://b.example/', time, 'recorded' from unnest($2::timestamptz[]) time`,
      [campaign, times, key],
    );
  const ofKey = async (key: AccessKeyId) => {
    const entries: HistoryEntry[] = [];
    for await (const entry of world.history.ofKey({ key })) entries.push(entry);
    return entries;
  };
  const pruned = async (size: number) => {
    const steps = [];
    let next: HistoryPosition | undefined;
    do {
      const step = await world.historyPruning.prune(sinceThen, size, next);
      steps.push(step);
      next = step.next;
    } while (next);
    return steps;
  };

  it('the changes made with a key, more than are fetched at once, and none of a caller whose name is its number', async () => {
    const { seen, by, keyId } = await liveCampaign(world);
    const named = subject('jwt', String(keyId)) ?? expect.fail('no subject');
    await mirrorSet(world, seen, change({ ...by, subject: named }));
    const [entry] = await world.history.list({ campaign: seen.id, limit: 1 });
    expect(entry).to.include({ subject: `jwt:${keyId}` });
    expect(await ofKey(keyId)).to.deep.equal([]);
    const many = 1_001;
    await recorded(
      seen.id,
      Array.from({ length: many }, () => longAgo),
      keyId,
    );
    expect(await ofKey(keyId)).to.have.length(many);
  });

  it('is pruned to the microsecond, in steps that go through all campaigns', async () => {
    const campaigns = [await newCampaign(world), await newCampaign(world), await newCampaign(world)];
    const last = '2001-05-31T23:59:59.999999Z';
    for (const { id } of campaigns) await recorded(id, [longAgo, sinceThen, last]);
    const { changes } = await world.historyPruning.survey(day);
    const steps = await pruned(2);
    expect(steps.reduce((sum, step) => sum + step.lookedAt, 0)).to.equal(changes);
    for (const step of steps.slice(0, -1)) expect(step.lookedAt).to.equal(2);
    for (const { id } of campaigns)
      expect((await world.others.history(id)).map(({ changedAt }) => changedAt)).to.deep.equal([sinceThen]);
  });

  it('a step that deletes leaves an entry in the audit, and one that does not leaves none', async () => {
    const { id } = await newCampaign(world);
    await recorded(id, [longAgo, longAgo]);
    await pruned(1_000_000);
    const [entry] = await world.audit.list({ limit: 1 });
    const details = { changes: 2, older_than: sinceThen };
    expect(entry).to.deep.include({ act: 'history-pruned', campaignId: null, details });
    await pruned(1_000_000);
    expect(await world.audit.list({ limit: 1 })).to.deep.equal([entry]);
  });

  it('of the last day is kept, whatever is asked for', async () => {
    const { olderThan } = await world.historyPruning.survey(day - 1);
    const refused = await world.historyPruning.prune(olderThan, 1_000).catch((error) => error.message);
    expect(refused).to.equal('history of the last day is never pruned');
  });
});
