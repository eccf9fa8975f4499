import { expect } from 'chai';
import { externalDatabase } from '../../packages/app/src/settings/external-database.ts';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { refused } from '../support/commands/command.ts';
import { startService } from '../support/process/service-process.ts';

type Environment = Record<string, string>;

/** Puts the variables into the environment of this process, where the driver looks for those of libpq. */
function databaseIn(environment: Environment) {
  const before = { ...process.env };
  Object.assign(process.env, environment);
  try {
    const read = readSettings(environment);
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    return externalDatabase(read.settings);
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** The database as `user:password@host:port/database`. */
function place(environment: Environment): string {
  const { user, password, host, port, database } = databaseIn(environment);
  return `${user}:${password}@${host}:${port}/${database}`;
}

describe('settings: DATABASE_URL, PGHOST and the variables of libpq name the database', () => {
  const others = { PGPORT: '1', PGUSER: 'other', PGPASSWORD: ' theirs ', PGDATABASE: 'others' };

  it('DATABASE_URL comes first, then PGHOST and its companions, then the defaults of PostgreSQL', () => {
    const places: [environment: Environment, place: string][] = [
      [{ DATABASE_URL: 'postgresql://me:p%C3%A4ss%20word@db:5433/x' }, 'me:päss word@db:5433/x'],
      [{ DATABASE_URL: 'postgres://me:it@db:2/mine', PGHOST: 'other', ...others }, 'me:it@db:2/mine'],
      [{ DATABASE_URL: 'postgres:///', PGHOST: 'db', ...others }, 'other: theirs @db:1/others'],
      [{ DATABASE_URL: 'postgres://me:it@/mine?host=/run/sql' }, 'me:it@/run/sql:5432/mine'],
      [{ DATABASE_URL: 'postgres://%2Frun%2Fsql/mine', ...others }, 'other: theirs @/run/sql:1/mine'],
      [{ DATABASE_URL: 'postgres://me:it@[::1]/mine' }, 'me:it@::1:5432/mine'],
      [{ PGHOST: 'db', ...others }, 'other: theirs @db:1/others'],
    ];
    for (const [environment, expected] of places) expect(place(environment)).to.equal(expected);
  });

  it('PGSSLMODE applies if the URL says nothing; PGSSLROOTCERT without a CA in the URL ends the start', async () => {
    const PGSSLROOTCERT = '/nowhere/ca.crt';
    const line =
      'PGSSLROOTCERT is not read: name the CA in DATABASE_URL, as ?sslmode=verify-full&sslrootcert=FILE';
    const url = (mode: string) => ({ DATABASE_URL: `postgres://me@db/x?sslmode=${mode}`, PGSSLROOTCERT });
    expect(await startService(url('require')).done()).to.deep.equal(refused(`${line}\n`, 2));
    expect(() => databaseIn({ PGHOST: 'db', PGUSER: 'me', PGSSLROOTCERT })).to.throw(line);
    expect(databaseIn(url('disable')).ssl).to.equal(false);
    const verified = { DATABASE_URL: 'postgres://me@db/x', PGSSLMODE: 'require' };
    for (const environment of [verified, url('verify-full&sslrootcert=system')])
      expect(databaseIn(environment).ssl)
        .to.include({ rejectUnauthorized: true })
        .and.not.have.property('checkServerIdentity');
  });
});
