import type { Steps } from '@campaign-mirror/port-contracts';

/** The steps of a call. An adapter awaits `next` ahead of each of them, which says how it ends. */
export function stepping() {
  let ahead: Parameters<Steps>[1] | undefined;
  let step = -1;
  const steps: Steps = (call, before) => {
    [step, ahead] = [-1, before];
    return call().finally(() => {
      ahead = undefined;
    });
  };
  const next = async () => {
    step += 1;
    return (await ahead?.(step)) ?? 'go on';
  };
  return { steps, next };
}
