import type { Sample } from './definition.ts';

/**
 * A histogram by plain numbers: what is observed is counted in one place, and added up when it is told. prom-client's
 * own takes a text and some objects for each value that it observes.
 */
export class Buckets {
  readonly #bounds: readonly number[];
  /** One more than there are bounds, for what is beyond. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    (this.#counts[at] as number) += 1;
    this.#sum += value;
  }

  /** As Prometheus has them: each bucket with all that is in the smaller ones, the sum, the count. */
  samples(name: string, labels: Sample['labels']): Sample[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (more, at) => {
      count += more;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: this.#bounds[at] ?? '+Inf' },
        value: count,
      };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
