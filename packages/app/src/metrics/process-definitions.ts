import { define } from './definition.ts';

/** `serving`: has the listener for callers; `watching`: watches over workers. */
export const roles = ['serving', 'watching'] as const;
export type ProcessRole = (typeof roles)[number];

export const gcKinds = ['minor', 'major', 'incremental', 'weakcb'] as const;

const labels = { role: roles };

/** Each process; those of one role are added up. */
export const processDefinitions = define({
  campaign_mirror_processes: {
    type: 'gauge',
    help: 'Processes that the other metrics of processes cover.',
    labels,
  },
  campaign_mirror_log_lines_lost_total: {
    type: 'counter',
    help: 'Lines of the log that were lost because they were not read in time.',
    labels,
  },
  campaign_mirror_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'Delay of the event loop, measured twenty times a second.',
    labels,
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  },
  campaign_mirror_event_loop_active_seconds_total: {
    type: 'counter',
    help: 'Time in which the event loop was busy: its rate, divided by campaign_mirror_processes, is its utilization.',
    labels,
  },
  process_cpu_seconds_total: { type: 'counter', help: 'CPU time, user and system.', labels },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory.', labels },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'When the oldest of them was started, in seconds since 1970.',
    labels,
    aggregator: 'min',
  },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Heap that V8 has taken.', labels },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Heap that is used.', labels },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Memory outside of the heap.', labels },
  nodejs_gc_duration_seconds: {
    type: 'histogram',
    help: 'Duration of garbage collections.',
    labels: { role: roles, kind: gcKinds },
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1],
  },
});
