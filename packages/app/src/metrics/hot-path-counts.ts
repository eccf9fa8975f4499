import type { BatchKind, HotPathObserver } from '@campaign-mirror/adapters-persistence';
import { counter, histogram, samplesOf } from './instruments.ts';
import { batchKinds, persistenceDefinitions, statements } from './persistence-definitions.ts';

/** Counts what the hot path does at the database. */
export function hotPathCounts() {
  const durations = histogram(persistenceDefinitions, 'campaign_mirror_statement_duration_seconds');
  const failures = counter(persistenceDefinitions, 'campaign_mirror_statement_failures_total');
  const retries = counter(persistenceDefinitions, 'campaign_mirror_statement_retries_total');
  const members = histogram(persistenceDefinitions, 'campaign_mirror_batch_members');
  const split = counter(persistenceDefinitions, 'campaign_mirror_batches_split_total');
  const refused = counter(persistenceDefinitions, 'campaign_mirror_statements_refused_total');
  const setAside = counter(persistenceDefinitions, 'campaign_mirror_updates_set_aside_total');
  const judgedAgain = counter(persistenceDefinitions, 'campaign_mirror_judged_again_total');

  // All but the durations are told from 0 on, so that their first rise is seen.
  for (const statement of statements) {
    for (const one of [failures, retries, refused]) one.inc({ statement }, 0);
  }
  for (const kind of batchKinds) {
    members.zero({ kind });
    split.inc({ kind }, 0);
  }

  return {
    batch: (kind: BatchKind, size: number) => members.observe({ kind }, size),
    began: () => undefined,
    ended: (statement: string, milliseconds: number, _began: unknown, error?: unknown) => {
      durations.observe({ statement }, milliseconds / 1_000);
      if (error !== undefined) failures.inc({ statement });
    },
    retried: (statement: string) => retries.inc({ statement }),
    splitUp: (kind: BatchKind) => split.inc({ kind }),
    refused: (statement: string) => refused.inc({ statement }),
    setAside: () => setAside.inc(),
    judgedAgain: () => judgedAgain.inc(),
    samples: () => samplesOf([durations, failures, retries, members, split, refused, setAside, judgedAgain]),
  } satisfies HotPathObserver & { samples: unknown };
}
