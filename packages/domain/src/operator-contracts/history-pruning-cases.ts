import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields, expectThat } from '../contracts/expectations.ts';
import { change, mirrorSet } from '../contracts/live-campaign.ts';
import type { HistoryPosition, PruneStep } from '../operator/history-pruning.ts';
import type { CampaignId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';
import { liveCampaign, newCampaign } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

const day = 86_400;
const longAgo = '2001-01-01T00:00:00.000001Z' as Timestamp;
/** Between that and this nothing else is recorded. */
const sinceThen = '2001-06-01T00:00:00.000000Z' as Timestamp;

/** What every `HistoryPruning` promises. */
export const historyPruningCases: readonly Case<StoreWorld>[] = [
  {
    name: 'survey: how many changes there are, how many are so old, and when that was by the store’s clock',
    run: async (world) => {
      const was = await world.historyPruning.survey(10 * day);
      const { id } = await newCampaign(world);
      const now = await world.others.clock();
      await recorded(world, id, longAgo, daysBefore(now, 11), daysBefore(now, 9), now);
      const { olderThan, changes, old } = await world.historyPruning.survey(10 * day);
      expectEqual({ changes, old }, { changes: was.changes + 4, old: was.old + 2 });
      const age = (Date.parse(await world.others.clock()) - Date.parse(olderThan)) / 1000;
      expectThat(age >= 10 * day && age <= 10 * day + 60, `an age of ten days, not ${age} s`);
    },
  },
  {
    name: 'prune: what is from before that moment is deleted, to the microsecond; the rest stays as it was',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      const last = '2001-05-31T23:59:59.999999Z' as Timestamp;
      await recorded(world, seen.id, longAgo, last, sinceThen);
      const kept = (await world.others.history(seen.id)).filter((row) => row.changedAt >= sinceThen);
      expectEqual(kept.length, 2, 'the number of later changes');
      await pruneAll(world, 1_000);
      expectEqual(await world.others.history(seen.id), kept);
    },
  },
  {
    name: 'prune: in steps, each of which continues where the last one ended, through all campaigns',
    run: async (world) => {
      const campaigns = [await newCampaign(world), await newCampaign(world), await newCampaign(world)];
      for (const { id } of campaigns) await recorded(world, id, longAgo, sinceThen, longAgo);
      const { changes } = await world.historyPruning.survey(day);
      const steps = await pruneAll(world, 2);
      expectEqual(total(steps, 'lookedAt'), changes, 'changes examined');
      expectEqual(total(steps, 'pruned'), 6, 'changes pruned');
      for (const step of steps.slice(0, -1)) expectEqual(step.lookedAt, 2, 'changes examined in a step');
      for (const { id } of campaigns) {
        const [left, ...more] = await world.others.history(id);
        expectEqual([left?.changedAt, more], [sinceThen, []]);
      }
    },
  },
  {
    name: 'prune: a step that deletes leaves an entry in the audit, and one that does not leaves none',
    run: async (world) => {
      const { id } = await newCampaign(world);
      await recorded(world, id, longAgo, longAgo, longAgo);
      await pruneAll(world, 1_000_000);
      const [entry] = await world.audit.list({ limit: 1 });
      expectFields(entry, {
        ...world.act,
        act: 'history-pruned',
        campaignId: null,
        details: { changes: 3, older_than: sinceThen },
      });
      await pruneAll(world, 1_000_000);
      expectEqual(await world.audit.list({ limit: 1 }), [entry]);
    },
  },
  {
    name: 'prune: history of the last day is kept, whatever is asked for',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      await recorded(world, seen.id, longAgo);
      const left = async () => (await world.others.history(seen.id)).length;
      const { olderThan } = await world.historyPruning.survey(day - 1);
      const refused = await world.historyPruning.prune(olderThan, 1_000).catch((error) => error.message);
      expectEqual(refused, 'history of the last day is never pruned');
      expectEqual(await left(), 2, 'changes left');
      const aDayAgo = await world.historyPruning.survey(day);
      await world.historyPruning.prune(aDayAgo.olderThan, 1_000_000);
      expectEqual(await left(), 1, 'changes left');
    },
  },
];

async function recorded(world: StoreWorld, campaign: CampaignId, ...times: Timestamp[]): Promise<void> {
  for (const time of times) await world.others.recordChange(campaign, time);
}

function daysBefore(time: Timestamp, days: number): Timestamp {
  const milliseconds = Date.parse(time) - days * day * 1000;
  return new Date(milliseconds).toISOString().replace('Z', '000Z') as Timestamp;
}

/** Prunes what is from before `sinceThen`, in steps of that size. */
async function pruneAll(world: StoreWorld, size: number): Promise<PruneStep[]> {
  const steps: PruneStep[] = [];
  let next: HistoryPosition | undefined;
  do {
    const step = await world.historyPruning.prune(sinceThen, size, next);
    expectThat(steps.push(step) < 10_000, 'an end of the steps');
    next = step.next;
  } while (next);
  return steps;
}

function total(steps: readonly PruneStep[], what: 'lookedAt' | 'pruned'): number {
  return steps.reduce((sum, step) => sum + step[what], 0);
}
