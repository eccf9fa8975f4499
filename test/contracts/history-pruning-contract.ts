import type { CampaignId, HistoryPosition, PruneStep, Timestamp } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
import { tester } from '../support/store/operator.ts';
import {
  type Check,
  change,
  liveCampaign,
  mirrorSet,
  newCampaign,
  type World,
} from '../support/store/world.ts';

const day = 86_400;
const longAgo = '2001-01-01T00:00:00.000001Z' as Timestamp;
/** Between that and this nothing else is recorded. */
const sinceThen = '2001-06-01T00:00:00.000000Z' as Timestamp;

/** What every `HistoryPruning` promises. */
export const historyPruningContract: readonly Check[] = [
  {
    name: 'survey: how many changes there are, how many are so old, and when that was by the store’s clock',
    check: async (world) => {
      const was = await world.historyPruning.survey(10 * day);
      const { id } = await newCampaign(world);
      const now = await world.others.clock();
      await recorded(world, id, longAgo, daysBefore(now, 11), daysBefore(now, 9), now);
      const { olderThan, changes, old } = await world.historyPruning.survey(10 * day);
      expect({ changes, old }).to.deep.equal({ changes: was.changes + 4, old: was.old + 2 });
      const age = Date.parse(await world.others.clock()) - Date.parse(olderThan);
      expect(age).to.be.within(10 * day * 1000, 10 * day * 1000 + 60_000);
    },
  },
  {
    name: 'prune: what is from before that moment goes, to the microsecond, and the rest stays as it was',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      const last = '2001-05-31T23:59:59.999999Z' as Timestamp;
      await recorded(world, seen.id, longAgo, last, sinceThen);
      const kept = (await world.others.history(seen.id)).filter((row) => row.changedAt >= sinceThen);
      expect(kept).to.have.length(2);
      await pruneAll(world, 1_000);
      expect(await world.others.history(seen.id)).to.deep.equal(kept);
    },
  },
  {
    name: 'prune: in steps, each of which goes on where the last ended, through all campaigns',
    check: async (world) => {
      const campaigns = [await newCampaign(world), await newCampaign(world), await newCampaign(world)];
      for (const { id } of campaigns) await recorded(world, id, longAgo, sinceThen, longAgo);
      const { changes } = await world.historyPruning.survey(day);
      const steps = await pruneAll(world, 2);
      expect(total(steps, 'lookedAt')).to.equal(changes);
      expect(total(steps, 'pruned')).to.equal(6);
      for (const step of steps.slice(0, -1)) expect(step.lookedAt).to.equal(2);
      for (const { id } of campaigns) {
        expect((await world.others.history(id)).map((row) => row.changedAt)).to.deep.equal([sinceThen]);
      }
    },
  },
  {
    name: 'prune: a step that deletes notes it in the audit, and one that does not notes nothing',
    check: async (world) => {
      const { id } = await newCampaign(world);
      await recorded(world, id, longAgo, longAgo, longAgo);
      await pruneAll(world, 1_000_000);
      const [entry] = await world.audit.list({ limit: 1 });
      expect(entry).to.deep.include({
        ...tester,
        act: 'history-pruned',
        campaignId: null,
        details: { changes: 3, older_than: sinceThen },
      });
      await pruneAll(world, 1_000_000);
      expect(await world.audit.list({ limit: 1 })).to.deep.equal([entry]);
    },
  },
  {
    name: 'prune: history of the last day is kept, whatever is asked for',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      await recorded(world, seen.id, longAgo);
      const { olderThan } = await world.historyPruning.survey(day - 1);
      const refused = await rejection(world.historyPruning.prune(olderThan, 1_000));
      expect(refused).to.have.property('message', 'history of the last day is never pruned');
      expect(await world.others.history(seen.id)).to.have.length(2);
      const aDayAgo = await world.historyPruning.survey(day);
      await world.historyPruning.prune(aDayAgo.olderThan, 1_000_000);
      expect(await world.others.history(seen.id)).to.have.length(1);
    },
  },
];

async function recorded(world: World, campaign: CampaignId, ...times: Timestamp[]): Promise<void> {
  for (const time of times) await world.others.recordChange(campaign, time);
}

function daysBefore(time: Timestamp, days: number): Timestamp {
  const milliseconds = Date.parse(time) - days * day * 1000;
  return new Date(milliseconds).toISOString().replace('Z', '000Z') as Timestamp;
}

/** Prunes what is from before `sinceThen`, in steps of that size. */
async function pruneAll(world: World, size: number): Promise<PruneStep[]> {
  const steps: PruneStep[] = [];
  let next: HistoryPosition | undefined;
  do {
    const step = await world.historyPruning.prune(sinceThen, size, next);
    steps.push(step);
    expect(steps, 'it ends').to.have.length.below(10_000);
    next = step.next;
  } while (next);
  return steps;
}

function total(steps: readonly PruneStep[], what: 'lookedAt' | 'pruned'): number {
  return steps.reduce((sum, step) => sum + step[what], 0);
}
