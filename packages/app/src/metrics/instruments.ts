import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Life } from '../process/life.ts';

/** Upper bounds in seconds: fine around the millisecond that a request takes on a machine that is not busy. */
export const durationBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

export function instruments(registry: Registry) {
  const registers = [registry];
  /** `read` sets its values whenever the metrics are read. */
  const gauge = (name: string, help: string, read: (gauge: Gauge) => unknown, ...labelNames: string[]) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        await read(this);
      },
    });
  return {
    gauge,
    /** A gauge without labels, which is absent while its value is undefined. */
    value: (name: string, help: string, read: () => number | undefined | Promise<number | undefined>) =>
      gauge(name, help, async (metric) => {
        const value = await read();
        if (value === undefined) metric.remove();
        else metric.set(value);
      }),
    counter: (name: string, help: string, ...labelNames: string[]) =>
      new Counter({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
    /** A counter whose values are counted elsewhere: `read` adds the present ones to it whenever the metrics are read. */
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

/** Upper bounds in seconds. */
const gcDurationBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1];
const delayBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** How often the delay of the event loop is measured, in milliseconds. */
const betweenLooks = 50;

/** prom-client's metrics of Node: made once in a process, because what measures them never ends. */
let ofNode: Registry | undefined;

function metricsOfNode(): Registry {
  if (ofNode) return ofNode;
  ofNode = new Registry();
  collectDefaultMetrics({ register: ofNode, gcDurationBuckets });
  return ofNode;
}

/** The metrics of this process: those of Node, and of the event loop those that can be added up. */
export function processMetrics(lostLines: () => number, life: Pick<Life, 'atEnd'>): Registry {
  const register = Registry.merge([metricsOfNode()]);
  const { counted, histogram } = instruments(register);
  const delay = histogram(
    'campaign_mirror_event_loop_delay_seconds',
    'Delay of the event loop, measured twenty times a second.',
    delayBuckets,
  );
  let due = performance.now() + betweenLooks;
  const measuring = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1_000);
    due = now + betweenLooks;
  }, betweenLooks).unref();
  life.atEnd('event loop delay', () => clearInterval(measuring));
  counted(
    'campaign_mirror_event_loop_active_seconds_total',
    'Time in which the event loop was busy: its rate is its utilization.',
    (metric) => metric.inc(performance.eventLoopUtilization().active / 1_000),
  );
  counted(
    'campaign_mirror_log_lines_lost_total',
    'Lines of the log that were lost because they were not read in time.',
    (metric) => metric.inc(lostLines()),
  );
  return register;
}
