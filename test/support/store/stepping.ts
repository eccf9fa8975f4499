import type { Steps } from '@campaign-mirror/port-contracts';

/** The steps of a call. The adapter awaits `next` before each step; its answer says how the step ends. */
export function stepping() {
  let ahead: Parameters<Steps>[1] | undefined;
  let step = 0;
  const steps: Steps = (call, before) => {
    [step, ahead] = [0, before];
    return call().finally(() => {
      ahead = undefined;
    });
  };
  const next = async () => (await ahead?.(step++)) ?? 'go on';
  return { steps, next };
}
