import type { BatchKind, HotPathObserver } from '@campaign-mirror/adapters-persistence';
import { Buckets } from './buckets.ts';
import { plain, type Samples } from './definition.ts';
import { requestBuckets } from './http-definitions.ts';
import {
  batchKinds,
  memberBuckets,
  type persistenceDefinitions,
  statements,
} from './persistence-definitions.ts';
import { Tally } from './tally.ts';

/** Counts what the hot path does at the database. */
export class HotPathCounts implements HotPathObserver {
  readonly #durations = new Map<string, Buckets>();
  readonly #failures = new Tally('statement', statements);
  readonly #retries = new Tally('statement', statements);
  readonly #members = { 'look-up': new Buckets(memberBuckets), update: new Buckets(memberBuckets) };
  readonly #split = new Tally('kind', batchKinds);
  readonly #refused = new Tally('statement', statements);
  #setAside = 0;
  #judgedAgain = 0;

  batch(kind: BatchKind, size: number): void {
    this.#members[kind].observe(size);
  }

  began(): undefined {}

  ended(statement: string, milliseconds: number, _began: unknown, error?: unknown): void {
    let durations = this.#durations.get(statement);
    if (!durations) {
      durations = new Buckets(requestBuckets);
      this.#durations.set(statement, durations);
    }
    durations.observe(milliseconds / 1_000);
    if (error !== undefined) this.#failures.count(statement);
  }

  retried(statement: string): void {
    this.#retries.count(statement);
  }

  splitUp(kind: BatchKind): void {
    this.#split.count(kind);
  }

  refused(statement: string): void {
    this.#refused.count(statement);
  }

  setAside(): void {
    this.#setAside += 1;
  }

  judgedAgain(): void {
    this.#judgedAgain += 1;
  }

  samples(): Samples<typeof persistenceDefinitions> {
    return {
      campaign_mirror_statement_duration_seconds: [...this.#durations].flatMap(([statement, durations]) =>
        durations.samples('campaign_mirror_statement_duration_seconds', { statement }),
      ),
      campaign_mirror_statement_failures_total: this.#failures.samples(),
      campaign_mirror_statement_retries_total: this.#retries.samples(),
      campaign_mirror_batch_members: batchKinds.flatMap((kind) =>
        this.#members[kind].samples('campaign_mirror_batch_members', { kind }),
      ),
      campaign_mirror_batches_split_total: this.#split.samples(),
      campaign_mirror_statements_refused_total: this.#refused.samples(),
      campaign_mirror_updates_set_aside_total: plain(this.#setAside),
      campaign_mirror_judged_again_total: plain(this.#judgedAgain),
    };
  }
}
