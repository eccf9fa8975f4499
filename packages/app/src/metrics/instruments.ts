import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Upper bounds in seconds: fine around the millisecond that a request takes on a machine that is not busy. */
export const ofSeconds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Makes prom-client's objects: each by its name, what it tells, and its labels. */
export function instruments(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, ...labelNames: string[]) =>
      new Counter({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
    /** `read` sets its values whenever the metrics are read. */
    gauge: (name: string, help: string, read: (gauge: Gauge) => unknown, ...labelNames: string[]) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          await read(this);
        },
      }),
    /** A counter of what somebody else counts: `read` adds the present values to it. */
    counted: (name: string, help: string, read: (counter: Counter) => void, ...labelNames: string[]) =>
      new Counter({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          read(this);
        },
      }),
  };
}
