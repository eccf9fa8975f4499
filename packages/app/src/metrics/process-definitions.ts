import { counter, define, gauge, histogram } from './definition.ts';

/** `serving`: has the listener for callers; `watching`: watches over workers. */
export const roles = ['serving', 'watching'] as const;
export type ProcessRole = (typeof roles)[number];

export const gcKinds = ['minor', 'major', 'incremental', 'weakcb'] as const;

const labels = { role: roles };

/** Each process; those of one role are added up. */
export const processDefinitions = define({
  campaign_mirror_processes: gauge(labels).help('Processes that the other metrics of processes cover.'),
  campaign_mirror_log_lines_lost_total: counter(labels).help(
    'Lines of the log that were lost because they were not read in time.',
  ),
  campaign_mirror_event_loop_delay_seconds: histogram(
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    labels,
  ).help('Delay of the event loop, measured twenty times a second.'),
  campaign_mirror_event_loop_active_seconds_total: counter(labels).help(
    'Time in which the event loop was busy: its rate, divided by campaign_mirror_processes, is its utilization.',
  ),
  process_cpu_seconds_total: counter(labels).help('CPU time, user and system.'),
  process_resident_memory_bytes: gauge(labels).help('Resident memory.'),
  process_start_time_seconds: {
    ...gauge(labels).help('When the oldest of them was started, in seconds since 1970.'),
    aggregator: 'min',
  },
  nodejs_heap_size_total_bytes: gauge(labels).help('Heap that V8 has taken.'),
  nodejs_heap_size_used_bytes: gauge(labels).help('Heap that is used.'),
  nodejs_external_memory_bytes: gauge(labels).help('Memory outside of the heap.'),
  nodejs_gc_duration_seconds: histogram([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1], {
    role: roles,
    kind: gcKinds,
  }).help('Duration of garbage collections.'),
});
