import { setTimeout as pause } from 'node:timers/promises';
import { type OpenPool, openPool } from '@campaign-mirror/adapters-persistence';
import type { Known, Random } from './known.ts';
import type { Recorder } from './recorder.ts';
import type { Store } from './store.ts';

const count = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1';
/** In milliseconds. */
const [between, afterFault] = [5, 50];

/** A redirector, which counts clicks with the rights that it has. */
export async function redirector(
  store: Store,
  known: Known,
  recorder: Recorder,
  random: Random,
  over: AbortSignal,
): Promise<void> {
  const opened: OpenPool = openPool(store.address('redirector'), undefined, 'redirector');
  while (!over.aborted) {
    const { id: campaign } = known.campaign(random) ?? {};
    const begin = recorder.now();
    let counted: boolean | undefined;
    try {
      if (campaign) counted = (await opened.pool.query(count, [campaign])).rowCount === 1;
    } catch {}
    if (campaign) recorder.clicks.push({ campaign, counted, begin, end: recorder.now() });
    await pause(counted === undefined ? afterFault : random.below(between));
  }
  await opened.close();
}
