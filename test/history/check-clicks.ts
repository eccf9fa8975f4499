import type { RecordedClick, RunRecord } from './record.ts';
import type { Violation } from './violations.ts';

/** The counts that are stored, and those that answers told, against the clicks that somebody else counted. */
export function* checkClicks({ clicks, mirrors, calls }: RunRecord): Generator<Violation> {
  const made = Map.groupBy(clicks, ({ campaign }) => campaign);
  for (const { id, campaign, clicks: stored } of mirrors) {
    const own = made.get(campaign) ?? [];
    const [least, most] = [surely(own).length, possibly(own).length];
    if (stored < least || stored > most)
      yield { rule: 'clicks', at: `mirror ${id}`, what: `${stored}, not ${least} to ${most}` };
  }
  const sorted = new Map([...made].map(([campaign, own]) => [campaign, sortedTimes(own)]));
  for (const { requestId: at, campaign, mirror, begin, end } of calls) {
    if (!mirror) continue;
    const { begins = [], ends = [] } = sorted.get(campaign) ?? {};
    const [least, most] = [countUpTo(ends, begin), countUpTo(begins, end)];
    if (mirror.clicks < least || mirror.clicks > most)
      yield { rule: 'clicks', at, what: `${mirror.clicks}, not ${least} to ${most}` };
  }
}

const surely = (clicks: readonly RecordedClick[]) => clicks.filter(({ counted }) => counted);
const possibly = (clicks: readonly RecordedClick[]) => clicks.filter(({ counted }) => counted !== false);

function sortedTimes(clicks: readonly RecordedClick[]): { begins: Float64Array; ends: Float64Array } {
  return {
    begins: Float64Array.from(possibly(clicks), ({ begin }) => begin).sort(),
    ends: Float64Array.from(surely(clicks), ({ end }) => end).sort(),
  };
}

/** How many of the sorted times are not after this one. */
function countUpTo(times: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
