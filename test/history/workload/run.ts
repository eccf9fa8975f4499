import type { RunRecord } from '../record.ts';
import { keepUp, operate } from './acts.ts';
import { caller } from './callers.ts';
import { Known, Random } from './known.ts';
import { operatorOn } from './operator.ts';
import { Recorder } from './recorder.ts';
import { jitter, type Store, tablesOf } from './store.ts';

/** In milliseconds: the service answers 503 after 30 seconds, and the caller needs a moment to read it. */
const longestCall = 30_000 + 2_000;

interface Workload {
  readonly store: Store;
  readonly base: string;
  readonly seed: number;
  readonly callers?: number;
  /** Runs after the last call, before the sessions of the service are ended. */
  readonly afterwards?: () => Promise<void>;
}

/** Lets callers and operators work while `meanwhile` runs, then reads the tables. Once for each database. */
export async function recorded(
  { store, base, seed, callers = 24, afterwards }: Workload,
  meanwhile: (recorder: Recorder) => Promise<void>,
): Promise<RunRecord> {
  await jitter(store);
  const recorder = new Recorder();
  const [end, patience] = [new AbortController(), new AbortController()];
  const shared = { known: new Known(), recorder, over: end.signal };
  const worker = (nth: number) => ({ ...shared, random: new Random(seed + nth) });
  const operators = [0, 1, 2].map((nth) => ({ ...worker(nth), operator: operatorOn(store, recorder) }));
  for (const operator of operators) await keepUp(operator);
  const work = Promise.all([
    ...operators.map(operate),
    ...Array.from({ length: callers }, (_, nth) =>
      caller(worker(operators.length + nth), base, `call-${nth}`, patience.signal),
    ),
  ]);
  try {
    await Promise.race([meanwhile(recorder), work]);
  } finally {
    end.abort();
    const limit = setTimeout(() => patience.abort(), longestCall);
    await work.finally(() => clearTimeout(limit));
    for (const { operator } of operators) await operator.close();
  }
  await afterwards?.();
  const { calls, acts, operators: requests, deleted } = recorder;
  const { history, mirrors } = await tablesOf(store);
  return { calls, acts, operators: requests, history, mirrors: [...deleted, ...mirrors], longestCall };
}
