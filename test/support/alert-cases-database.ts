import { type AlertCases, of, target } from './alert-case.ts';

const check = (name: string) => of('campaign_mirror_ready_check', { check: name });
const event = (name: string) => of('campaign_mirror_embedded_database_events_total', { event: name });
const statement = { statement: 'set-mirrors' };
const failures = of('campaign_mirror_statement_failures_total', statement);
const statements = of('campaign_mirror_statement_duration_seconds_count', statement);
const waiting = of('campaign_mirror_pool_waiting');

export const databaseCases: AlertCases = {
  CampaignMirrorDatabaseAway: [
    {
      when: 'it does not answer for two minutes',
      series: { [check('database')]: '1 0 0 0' },
      at: '3m',
      fires: { labels: { ...target, check: 'database' }, summary: 'a has no database' },
    },
    { when: 'it is back soon', series: { [check('database')]: '1 0 1 0' }, at: '3m' },
  ],
  CampaignMirrorDatabaseReadOnly: [
    {
      when: 'it takes no writes for two minutes',
      series: { [check('database')]: '1x4', [check('writable')]: '1 0 0 0' },
      at: '3m',
      fires: { labels: { ...target, check: 'writable' }, summary: 'The database of a takes no writes' },
    },
    {
      when: 'it takes them again soon',
      series: { [check('database')]: '1x4', [check('writable')]: '1 0 1 0' },
      at: '3m',
    },
    { when: 'nobody knows, since it is away', series: { [check('database')]: '0x4' }, at: '3m' },
  ],
  CampaignMirrorSchemaTooOld: [
    {
      when: 'a migration is missing for six minutes',
      series: { [check('migrations')]: '1 0x7' },
      at: '7m',
      fires: {
        labels: { ...target, check: 'migrations' },
        summary: 'The schema is older than the program on a',
      },
    },
    { when: 'it is on its way', series: { [check('migrations')]: '1 0 0 0 1 0 0 0 0' }, at: '8m' },
  ],
  CampaignMirrorEmbeddedDatabaseLost: [
    {
      when: 'it was lost once',
      series: { [event('lost')]: '0 0 1 1 1', [event('restarted')]: '0 0 0 1 1' },
      at: '4m',
      fires: { labels: { ...target, event: 'lost' }, summary: 'The embedded database of a was lost' },
    },
    {
      when: 'it was lost yesterday',
      series: { [event('lost')]: '3x5', [event('restarted')]: '3x5' },
      at: '4m',
    },
  ],
  CampaignMirrorStatementsFail: [
    {
      when: 'one of fifty fails',
      series: { [failures]: '0+2x10', [statements]: '0+100x10', [check('database')]: '1x10' },
      at: '10m',
      fires: { labels: target, summary: '10 statements of a failed within 5 minutes' },
    },
    {
      when: 'one of fifty has failed for three minutes',
      series: { [failures]: '0+0x7 2+2x3', [statements]: '0+100x10', [check('database')]: '1x10' },
      at: '10m',
    },
    {
      when: 'one of two hundred does',
      series: { [failures]: '0+1x10', [statements]: '0+200x10', [check('database')]: '1x10' },
      at: '10m',
    },
    {
      when: 'all do, since the database is away',
      series: { [failures]: '0+9x10', [statements]: '0+9x10', [check('database')]: '0x10' },
      at: '10m',
    },
  ],
  CampaignMirrorPoolExhausted: [
    {
      when: 'somebody always waits',
      series: { [waiting]: '0 3x8' },
      at: '8m',
      fires: { labels: target, summary: '3 statements of a wait for a connection' },
    },
    { when: 'the queue is empty in between', series: { [waiting]: '3 3 3 3 0 3 3 3 3' }, at: '8m' },
  ],
};
