import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '@campaign-mirror/adapters-persistence';
import { AssertionError } from 'chai';
import { call, keepAlive } from '../../support/http/caller.ts';
import type { RecordedCall } from '../record.ts';
import type { Known, Random } from './known.ts';
import type { Recorder } from './recorder.ts';
import type { Store } from './store.ts';

/** In milliseconds: whose connection was broken calls again a little later. */
const afterBroken = 10;
/** Of how many calls one is given up, and after how many milliseconds at most. */
const [given, soon] = [50, 40];

/** What each of those who take part has: its own choices, until it is over. */
export interface Worker {
  readonly known: Known;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly over: AbortSignal;
}

/** Calls one after the other, on one connection, until it is over. Where `patience` ends nothing is waited for any more. */
export async function caller(
  { known, recorder, random, over }: Worker,
  base: string,
  name: string,
  patience: AbortSignal,
): Promise<void> {
  const agent = keepAlive();
  /** The last change of each campaign, as this caller was told. */
  const lastChanges = new Map<number, number>();
  patience.addEventListener('abort', () => agent.destroy());
  for (let number = 0; !over.aborted; number++) {
    const chosen = known.toCall(random);
    if (!chosen) {
      await pause(afterBroken);
      continue;
    }
    const { campaign, key } = chosen;
    const requires = random.below(2) === 0 ? lastChanges.get(campaign) : undefined;
    const address = known.address(random);
    const asked = { requestId: `${name}-${number}`, campaign, key: key.id, address, requires };
    const begin = performance.now();
    const vanishing = random.below(given) === 0 && setTimeout(() => agent.destroy(), random.below(soon));
    const answer = await call({ ...asked, base, key: key.key }, agent).catch((error) => {
      // One that was cut off is no answer; one that is not documented ends the run.
      if (error instanceof AssertionError) throw error;
    });
    const answered = performance.now();
    if (vanishing) clearTimeout(vanishing);
    const lastChange = answer?.lastChange;
    if (lastChange !== undefined) lastChanges.set(campaign, lastChange);
    const told = lastChange !== undefined ? { lastChange, mirror: mirrorIn(answer?.body ?? '') } : {};
    recorder.add({ ...asked, begin, end: answered, status: answer?.status, ...told });
    if (answer?.status === undefined) await pause(afterBroken);
  }
  agent.destroy();
}

function mirrorIn(body: string): Required<RecordedCall>['mirror'] {
  const {
    id,
    campaign_id: campaign,
    target_url: address,
    clicks,
    updated_at: updatedAt,
  } = JSON.parse(body).mirror;
  return { id, campaign, address, clicks, updatedAt };
}

/** In the end: whether it still has it. */
const isThere = 'select from campaign_mirror.current_mirrors where campaign_id = $1';
/** Whether the campaign has a mirror, and that it is to be counted again, where its mirror is locked. */
const count = `
  select exists (select from campaign_mirror.current_mirrors where campaign_id = $1) as there,
    array(select campaign_mirror.count_clicks(array[$1::bigint], '{1}')) as again`;
/** In milliseconds. */
const [betweenClicks, afterFault] = [5, 50];

export async function redirector({ known, recorder, random, over }: Worker, store: Store): Promise<void> {
  const opened = await openDatabase(store.address('redirector'), undefined, 'redirector');
  while (!over.aborted) {
    const { id: campaign } = known.campaign(random) ?? {};
    const begin = performance.now();
    let counted: boolean | undefined;
    try {
      const { rows } = campaign ? await opened.pool.query(count, [campaign]) : { rows: [] };
      // A mirror that was not there before, or is gone after it, may have been made, or gone, before the click was counted.
      const after = rows[0]?.there && (await opened.pool.query(isThere, [campaign]));
      if (after?.rowCount) counted = rows[0].again.length === 0;
    } catch {}
    if (campaign) recorder.clicks.push({ campaign, counted, begin, end: performance.now() });
    await pause(counted === undefined ? afterFault : random.below(betweenClicks));
  }
  await opened.close();
}
