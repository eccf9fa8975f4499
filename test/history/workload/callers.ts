import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../../support/http/caller.ts';
import type { StoredMirror } from '../record.ts';
import type { Known, Random } from './known.ts';
import type { Recorder } from './recorder.ts';

/** In milliseconds: how long a caller without an answer waits before its next call. */
const afterBroken = 10;

/** What each caller and operator has: its own choices, until the run is over. */
export interface Worker {
  readonly known: Known;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly over: AbortSignal;
}

/** Makes one call after the other, on one connection. Gives up the last one when `patience` is aborted. */
export async function caller(
  { known, recorder, random, over }: Worker,
  base: string,
  name: string,
  patience: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  patience.addEventListener('abort', () => agent.destroy());
  for (let number = 0; !over.aborted; number++) {
    const chosen = known.toCall(random);
    if (!chosen) {
      await pause(afterBroken);
      continue;
    }
    const { campaign, key } = chosen;
    const address = known.address(random);
    const sent = { requestId: `${name}-${number}`, campaign, key: key.id, address };
    const begin = performance.now();
    // An answer that was cut off counts as none.
    const answer = await call({ ...sent, base, key: key.key }, agent).catch(() => undefined);
    const end = performance.now();
    const told = answer?.status === 200 ? { mirror: mirrorIn(answer.body) } : {};
    recorder.add({ ...sent, begin, end, status: answer?.status, ...told });
    if (answer?.status === undefined) await pause(afterBroken);
  }
  agent.destroy();
}

function mirrorIn(body: string): StoredMirror {
  const { id, campaign_id: campaign, target_url: address, updated_at: updatedAt } = JSON.parse(body).mirror;
  return { id, campaign, address, updatedAt };
}
