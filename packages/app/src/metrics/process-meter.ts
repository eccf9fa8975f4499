import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Samples } from './definition.ts';
import { histogram, samplesOf } from './instruments.ts';
import { type gcKinds, type ProcessRole, processDefinitions } from './process-definitions.ts';

const betweenLooks = 50;

const kinds: Readonly<Record<number, (typeof gcKinds)[number]>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MINOR_MARK_SWEEP]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** What Node's types leave out. */
interface GcEntry extends PerformanceEntry {
  readonly detail: { readonly kind: number };
}

/**
 * How this process is. Not prom-client's default metrics: those of the event loop begin anew with each reader, and
 * cannot be added up.
 */
export function processMeter(role: ProcessRole, lostLines: () => number) {
  const delay = histogram(processDefinitions, 'campaign_mirror_event_loop_delay_seconds');
  const collections = histogram(processDefinitions, 'nodejs_gc_duration_seconds');
  delay.zero({ role });
  let due = performance.now() + betweenLooks;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe({ role }, Math.max(0, now - due) / 1_000);
    due = now + betweenLooks;
  }, betweenLooks).unref();
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as GcEntry[]) {
      const kind = kinds[detail.kind];
      if (kind) collections.observe({ role, kind }, duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });

  const one = (value: number) => [{ labels: { role }, value }];
  return {
    stop: () => {
      clearInterval(timer);
      observer.disconnect();
    },
    samples: async (): Promise<Samples<typeof processDefinitions>> => {
      const { user, system } = process.cpuUsage();
      const { total_heap_size, used_heap_size, external_memory } = getHeapStatistics();
      return {
        campaign_mirror_processes: one(1),
        campaign_mirror_log_lines_lost_total: one(lostLines()),
        campaign_mirror_event_loop_active_seconds_total: one(
          performance.eventLoopUtilization().active / 1_000,
        ),
        process_cpu_seconds_total: one((user + system) / 1e6),
        process_resident_memory_bytes: one(process.memoryUsage.rss()),
        process_start_time_seconds: one(performance.timeOrigin / 1_000),
        nodejs_heap_size_total_bytes: one(total_heap_size),
        nodejs_heap_size_used_bytes: one(used_heap_size),
        nodejs_external_memory_bytes: one(external_memory),
        ...(await samplesOf([delay, collections])),
      };
    },
  };
}
