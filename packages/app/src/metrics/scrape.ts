import { faults, type Reply } from '@campaign-mirror/adapters-http';
import type { Log } from '../logging/log.ts';
import { type MetricSnapshot, registryOf, type Source, snapshotsOf, summed } from './meters.ts';

/** What each process tells. */
type SnapshotsOfEach = readonly (readonly MetricSnapshot[])[];

/** All metrics of the service, for whoever reads them: each process asked once, however many read at once. */
export class Scrape {
  readonly #collect: () => Promise<SnapshotsOfEach>;
  readonly #asked: Source[] = [];
  #underWay: Promise<SnapshotsOfEach> | undefined;

  constructor(collect: () => Promise<SnapshotsOfEach>) {
    this.#collect = collect;
  }

  #snapshots(): Promise<SnapshotsOfEach> {
    this.#underWay ??= this.#collect().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** Has it asked for whoever scrapes: it asks somebody else, such as the database. */
  add(source: Source): void {
    this.#asked.push(source);
  }

  /** What was counted, with nobody else asked. */
  async counted(): Promise<MetricSnapshot[]> {
    return summed(await this.#snapshots());
  }

  /** All of it in Prometheus' text format. */
  async text(): Promise<{ readonly body: string; readonly contentType: string }> {
    const [counted, asked] = await Promise.all([this.#snapshots(), snapshotsOf(this.#asked)]);
    const registry = registryOf([...counted, asked]);
    return { body: await registry.metrics(), contentType: registry.contentType };
  }
}

/** `/metrics`. A fault in them is no reason to end. */
export function metricsPage(scrape: Scrape, log: Log): () => Promise<Reply> {
  return async () => {
    try {
      return { status: 200, ...(await scrape.text()) };
    } catch (error) {
      log.error({ event: 'metrics-failed', err: error }, 'the metrics could not be told');
      return faults.unexpected;
    }
  };
}
