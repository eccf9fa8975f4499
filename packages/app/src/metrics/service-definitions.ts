import { counter, define, gauge } from './definition.ts';

export const databaseEvents = ['lost', 'restarted', 'reconnected', 'restart-failed', 'given-up'] as const;

const workersOnly = 'with `WORKERS`';

/** The service as a whole, told by its one process or the one that watches over workers. */
export const serviceDefinitions = define({
  campaign_mirror_build_info: gauge({
    version: 'of the service',
    node: 'of Node',
    migration: 'the newest that this version knows',
  }).help('Always 1; its labels say what runs.'),
  campaign_mirror_ready: gauge({}).help('1 if /readyz answers 200, otherwise 0.'),
  campaign_mirror_ready_check: gauge({
    check: ['accepting', 'database', 'writable', 'migrations', 'workers'],
  }).help('Each check of /readyz: 1 if it passes, 0 if it fails; absent if it could not be made.'),
  campaign_mirror_history_rows: {
    ...gauge({}).help("PostgreSQL's estimate of the rows of the history, as of its last vacuum or analyze."),
    only: 'once PostgreSQL has one',
  },
  campaign_mirror_embedded_database_events_total: counter({ event: databaseEvents }).help(
    'Events of the embedded database: its connection was lost, it was restarted, it was still running, or a restart failed.',
  ),
  campaign_mirror_workers: {
    ...gauge({ state: ['wanted', 'ready', 'silent'] }).help(
      'Workers that are wanted, that serve, and whose event loop does not run.',
    ),
    only: workersOnly,
  },
  campaign_mirror_worker_replacements_total: {
    ...counter({ why: ['lost', 'relieved'] }).help(
      'Workers that were replaced: after they ended unexpectedly, or by SIGHUP.',
    ),
    only: workersOnly,
  },
});
