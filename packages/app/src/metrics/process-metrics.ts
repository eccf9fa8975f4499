import { collectDefaultMetrics, Registry } from 'prom-client';
import { instruments } from './instruments.ts';

/** In seconds. */
const gcDurationBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1];
const delayBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** How often the delay of the event loop is measured, in milliseconds. */
const betweenLooks = 50;

/** How this process is: prom-client's metrics of Node, and those of the event loop that can be added up. */
export function processMetrics(lostLines: () => number): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register, gcDurationBuckets });
  const { counted, histogram } = instruments(register);
  const delay = histogram(
    'campaign_mirror_event_loop_delay_seconds',
    'Delay of the event loop, measured twenty times a second.',
    delayBuckets,
  );
  let due = performance.now() + betweenLooks;
  setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1_000);
    due = now + betweenLooks;
  }, betweenLooks).unref();
  counted(
    'campaign_mirror_event_loop_active_seconds_total',
    'Time in which the event loop was busy: its rate is its utilization.',
    (one) => one.inc(performance.eventLoopUtilization().active / 1_000),
  );
  counted(
    'campaign_mirror_log_lines_lost_total',
    'Lines of the log that were lost because they were not read in time.',
    (one) => one.inc(lostLines()),
  );
  return register;
}
