import type { BatchKind, HotPathObserver } from '@campaign-mirror/adapters-persistence';
import { counter, histogram, samplesOf } from './instruments.ts';
import { batchKinds, persistenceDefinitions, statements } from './persistence-definitions.ts';

/** Counts what the hot path does at the database. */
export class HotPathCounts implements HotPathObserver {
  readonly #durations = histogram(persistenceDefinitions, 'campaign_mirror_statement_duration_seconds');
  readonly #failures = counter(persistenceDefinitions, 'campaign_mirror_statement_failures_total');
  readonly #retries = counter(persistenceDefinitions, 'campaign_mirror_statement_retries_total');
  readonly #members = histogram(persistenceDefinitions, 'campaign_mirror_batch_members');
  readonly #split = counter(persistenceDefinitions, 'campaign_mirror_batches_split_total');
  readonly #refused = counter(persistenceDefinitions, 'campaign_mirror_statements_refused_total');
  readonly #setAside = counter(persistenceDefinitions, 'campaign_mirror_updates_set_aside_total');
  readonly #judgedAgain = counter(persistenceDefinitions, 'campaign_mirror_judged_again_total');

  /** All but the durations are told from 0 on, so that their first rise is seen. */
  constructor() {
    for (const statement of statements) {
      for (const one of [this.#failures, this.#retries, this.#refused]) one.inc({ statement }, 0);
    }
    for (const kind of batchKinds) {
      this.#members.zero({ kind });
      this.#split.inc({ kind }, 0);
    }
  }

  batch(kind: BatchKind, size: number): void {
    this.#members.observe({ kind }, size);
  }

  began(): undefined {}

  ended(statement: string, milliseconds: number, _began: unknown, error?: unknown): void {
    this.#durations.observe({ statement }, milliseconds / 1_000);
    if (error !== undefined) this.#failures.inc({ statement });
  }

  retried(statement: string): void {
    this.#retries.inc({ statement });
  }

  splitUp(kind: BatchKind): void {
    this.#split.inc({ kind });
  }

  refused(statement: string): void {
    this.#refused.inc({ statement });
  }

  setAside(): void {
    this.#setAside.inc();
  }

  judgedAgain(): void {
    this.#judgedAgain.inc();
  }

  samples() {
    return samplesOf([
      this.#durations,
      this.#failures,
      this.#retries,
      this.#members,
      this.#split,
      this.#refused,
      this.#setAside,
      this.#judgedAgain,
    ]);
  }
}
