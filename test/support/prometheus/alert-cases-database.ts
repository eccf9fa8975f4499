import { type AlertCases, cases, of, target } from './alert-case.ts';

const check = (name: string) => of('campaign_mirror_ready_check', { check: name });
const statement = { statement: 'set-mirrors' };
const failures = of('campaign_mirror_statement_failures_total', statement);
const statements = of('campaign_mirror_statement_duration_seconds_count', statement);
const waiting = of('campaign_mirror_pool_waiting');
/** So many fail, so many are run, and the database is there. */
const failing = (failed: string, run: string, there = '1x10') => ({
  [failures]: failed,
  [statements]: run,
  [check('database')]: there,
});

export const databaseCases: AlertCases = {
  CampaignMirrorDatabaseAway: cases(
    { ...target, check: 'database' },
    'a has no database',
    [['it does not answer for two minutes', '3m', { [check('database')]: '1 0 0 0' }]],
    [['it is back soon', '3m', { [check('database')]: '1 0 1 0' }]],
  ),
  CampaignMirrorDatabaseReadOnly: cases(
    { ...target, check: 'writable' },
    'The database of a takes no writes',
    [['none for two minutes', '3m', { [check('database')]: '1x4', [check('writable')]: '1 0 0 0' }]],
    [
      ['it takes them again soon', '3m', { [check('database')]: '1x4', [check('writable')]: '1 0 1 0' }],
      ['nobody knows, since it is away', '3m', { [check('database')]: '0x4' }],
    ],
  ),
  CampaignMirrorSchemaTooOld: cases(
    { ...target, check: 'migrations' },
    'The schema is older than the program on a',
    [['a migration is missing for six minutes', '7m', { [check('migrations')]: '1 0x7' }]],
    [['it is on its way', '8m', { [check('migrations')]: '1 0 0 0 1 0 0 0 0' }]],
  ),
  CampaignMirrorStatementsFail: cases(
    target,
    '10 statements of a failed within 5 minutes',
    [['one of fifty fails', '10m', failing('0+2x10', '0+100x10')]],
    [
      ['one of fifty has failed for three minutes', '10m', failing('0+0x7 2+2x3', '0+100x10')],
      ['one of two hundred does', '10m', failing('0+1x10', '0+200x10')],
      ['all do, since the database is away', '10m', failing('0+9x10', '0+9x10', '0x10')],
    ],
  ),
  CampaignMirrorPoolExhausted: cases(
    target,
    '3 statements of a wait for a connection',
    [['somebody always waits', '8m', { [waiting]: '0 3x8' }]],
    [['the queue is empty in between', '8m', { [waiting]: '3 3 3 3 0 3 3 3 3' }]],
  ),
};
