import type { RunRecord } from '../record.ts';
import { keepUp, operate } from './acts.ts';
import { caller, redirector } from './callers.ts';
import { Known, Random } from './known.ts';
import { operatorOn } from './operator.ts';
import { Recorder } from './recorder.ts';
import { jitter, type Store, tablesOf } from './store.ts';

/** In milliseconds: after this a caller is answered with 503, and a moment for us. */
const longestCall = 30_000 + 2_000;
const [usually, operators, redirectors] = [24, 3, 2];

interface Workload {
  readonly store: Store;
  readonly base: string;
  readonly seed: number;
  readonly callers?: number;
  /** When nobody calls any more, before the sessions of the service are ended. */
  readonly afterwards?: () => Promise<void>;
}

/** Lets all of them work while `meanwhile` runs, then reads the tables. Once a database. */
export async function recorded(
  { store, base, seed, callers = usually, afterwards }: Workload,
  meanwhile: (recorder: Recorder) => Promise<void>,
): Promise<RunRecord> {
  await jitter(store);
  const recorder = new Recorder();
  const [end, patience] = [new AbortController(), new AbortController()];
  const shared = { known: new Known(), recorder, over: end.signal };
  let streams = 0;
  const one = () => ({ ...shared, random: new Random(seed + streams++) });
  const acting = Array.from({ length: operators }, () => ({
    ...one(),
    operator: operatorOn(store, recorder),
  }));
  for (const operator of acting) await keepUp(operator);
  const work = Promise.all([
    ...acting.map(operate),
    ...Array.from({ length: redirectors }, () => redirector(one(), store)),
    ...Array.from({ length: callers }, (_, at) => caller(one(), base, `call-${at}`, patience.signal)),
  ]);
  try {
    await Promise.race([meanwhile(recorder), work]);
  } finally {
    end.abort();
    const limit = setTimeout(() => patience.abort(), longestCall);
    await work.finally(() => clearTimeout(limit));
    for (const { operator } of acting) await operator.close();
  }
  await afterwards?.();
  const { calls, acts, rewrites, clicks, deleted } = recorder;
  const { history, mirrors } = await tablesOf(store);
  return { calls, acts, rewrites, clicks, history, mirrors: [...deleted, ...mirrors], longestCall };
}
