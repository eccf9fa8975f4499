import { define } from './definition.ts';

export const databaseEvents = ['lost', 'restarted', 'reconnected', 'restart-failed', 'given-up'] as const;

const workersOnly = 'with `WORKERS`';

/** The service as a whole, told by its one process or the one that watches over workers. */
export const serviceDefinitions = define({
  campaign_mirror_build_info: {
    type: 'gauge',
    help: 'Always 1; what runs.',
    labels: {
      version: 'of the service',
      node: 'of Node',
      migration: 'the newest that this version knows',
    },
  },
  campaign_mirror_ready: {
    type: 'gauge',
    help: '1 where /readyz says 200, else 0.',
  },
  campaign_mirror_ready_check: {
    type: 'gauge',
    help: 'Each check of /readyz: 1 where it passes, 0 where it fails; left out where it could not be made.',
    labels: { check: ['accepting', 'database', 'writable', 'migrations', 'workers'] },
  },
  campaign_mirror_history_rows: {
    type: 'gauge',
    help: "PostgreSQL's estimate of the rows of the history, as of its last vacuum or analyze.",
    only: 'once PostgreSQL has one',
  },
  campaign_mirror_embedded_database_events_total: {
    type: 'counter',
    help: 'What became of the embedded database: its connection was lost, it was started again or had lived on, or could not be.',
    labels: { event: databaseEvents },
  },
  campaign_mirror_workers: {
    type: 'gauge',
    help: 'Workers: so many are wanted, serve, or have an event loop that does not run.',
    labels: { state: ['wanted', 'ready', 'silent'] },
    only: workersOnly,
  },
  campaign_mirror_worker_replacements_total: {
    type: 'counter',
    help: 'Workers in whose place others came: those that ended by themselves, and those that SIGHUP relieved.',
    labels: { why: ['lost', 'relieved'] },
    only: workersOnly,
  },
});
