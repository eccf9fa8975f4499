import type { Steps } from '@campaign-mirror/port-contracts';

/** The steps of a call. An adapter awaits `breaks` ahead of each of them, and fails if it is to break. */
export function stepping() {
  let ahead: Parameters<Steps>[1] | undefined;
  let step = -1;
  const steps: Steps = (call, before) => {
    [step, ahead] = [-1, before];
    return call().finally(() => {
      ahead = undefined;
    });
  };
  const breaks = async () => {
    step += 1;
    return (await ahead?.(step)) === 'break';
  };
  return { steps, breaks };
}
