import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { externalDatabase } from '../../packages/app/src/settings/external-database.ts';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { answered, commandProcess, refused } from '../support/commands/command.ts';
import { dedicatedServer } from '../support/database/dedicated-server.ts';
import { dataFolderOf, folderOf } from '../support/process/lives.ts';
import { eventsOf, listeningService, startService } from '../support/process/service-process.ts';

type Environment = Record<string, string>;

/** With these variables in the environment of this process, from which the driver takes libpq's. */
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

/** Where it is, in one line: `user:password@host:port/database`. */
function place(environment: Environment): string {
  const { user, password, host, port, database } = databaseIn(environment);
  return `${user}:${password}@${host}:${port}/${database}`;
}

/** The mode of libpq that the address stands for. */
function tls(environment: Environment): string {
  const { ssl } = databaseIn(environment);
  if (typeof ssl !== 'object') return ssl === false ? 'disable' : 'unknown';
  if (ssl.rejectUnauthorized !== true) return 'require';
  return ssl.checkServerIdentity ? 'verify-ca' : 'verify-full';
}

describe('a database of yours', () => {
  const folder = folderOf('suite');
  const others = { PGPORT: '1', PGUSER: 'other', PGPASSWORD: ' theirs ', PGDATABASE: 'others' };

  it('is where DATABASE_URL says, else PGHOST and what goes with it, else what PostgreSQL takes', () => {
    const places: [environment: Environment, place: string][] = [
      [
        { DATABASE_URL: 'postgresql://me:p%C3%A4ss%20word@db:5433/x?application_name=x' },
        'me:päss word@db:5433/x',
      ],
      [{ DATABASE_URL: 'postgres://me:it@db:2/mine', PGHOST: 'other', ...others }, 'me:it@db:2/mine'],
      [{ DATABASE_URL: 'postgres:///', PGHOST: 'db', ...others }, 'other: theirs @db:1/others'],
      [{ DATABASE_URL: 'postgres://me:it@/mine' }, 'me:it@localhost:5432/mine'],
      [{ DATABASE_URL: 'postgres://me:it@/mine?host=/run/sql' }, 'me:it@/run/sql:5432/mine'],
      [{ DATABASE_URL: 'postgres://%2Frun%2Fsql/mine', ...others }, 'other: theirs @/run/sql:1/mine'],
      [{ DATABASE_URL: 'postgres://me:it@[::1]/mine' }, 'me:it@::1:5432/mine'],
      [{ PGHOST: 'db', ...others }, 'other: theirs @db:1/others'],
      [{ PGHOST: 'db', PGUSER: 'me' }, 'me:undefined@db:5432/me'],
    ];
    for (const [environment, expected] of places) expect(place(environment)).to.equal(expected);
  });

  it('is spoken to as the URL says, where a part of TLS means all of it, else as the driver reads PGSSLMODE', () => {
    const modes: [parameters: string, PGSSLMODE: string, mode: string][] = [
      ['', '', 'disable'],
      ['?ssl=false', '', 'disable'],
      ['?ssl=0', 'verify-full', 'disable'],
      ['?ssl=true', '', 'verify-full'],
      ['?ssl=true', 'disable', 'verify-full'],
      ['?ssl=false&sslmode=require', '', 'require'],
      ['?sslnegotiation=direct', '', 'verify-full'],
      ['', 'require', 'verify-full'],
      ['', 'disable', 'disable'],
      ['?sslmode=disable', 'require', 'disable'],
      ['?sslmode=require', 'typo', 'require'],
    ];
    for (const [parameters, PGSSLMODE, mode] of modes) {
      const DATABASE_URL = `postgres://me@db/x${parameters}`;
      expect(tls({ DATABASE_URL, PGSSLMODE }), parameters + PGSSLMODE).to.equal(mode);
    }
    expect(() => tls({ DATABASE_URL: 'postgres://me@db/x', PGSSLMODE: 'typo' })).to.throw(
      /^PGSSLMODE must be disable, require, verify-ca, verify-full$/,
    );
  });

  it('PGSSLROOTCERT ends the start, unless the CA is in DATABASE_URL or nothing is encrypted', async () => {
    const PGSSLROOTCERT = '/nowhere/ca.crt';
    const line =
      'PGSSLROOTCERT is not read: name the CA in DATABASE_URL, as ?sslmode=verify-full&sslrootcert=FILE';
    const url = 'postgres://me@db/x?sslmode';
    const settings = { DATABASE_URL: `${url}=require`, PGSSLMODE: 'require', PGSSLROOTCERT };
    expect(await startService(settings).done()).to.deep.equal(refused(`${line}\n`, 2));
    expect(() => tls({ PGHOST: 'db', PGUSER: 'me', PGSSLROOTCERT })).to.throw(line);
    expect(() => tls({ DATABASE_URL: 'postgres://me@db/x', PGSSLROOTCERT })).to.throw(line);
    expect(tls({ DATABASE_URL: `${url}=disable`, PGSSLROOTCERT })).to.equal('disable');
    expect(tls({ DATABASE_URL: `${url}=verify-full&sslrootcert=system`, PGSSLROOTCERT })).to.equal(
      'verify-full',
    );
    expect(tls({ PGHOST: '/run/sql', PGUSER: 'me', PGSSLROOTCERT })).to.equal('disable');
  });

  it('is found by its socket, by variables of the shell or of ENVIRONMENT_FILE, whatever MikroORM has', async () => {
    const server = await dedicatedServer({ socket: true });
    try {
      const user = { PGUSER: 'postgres', PGDATABASE: 'postgres', PGSSLMODE: 'verify-full' };
      const socket = { PGHOST: server.data, PGPORT: String(server.address('postgres').port), ...user };
      expect(await commandProcess(['migrate'], socket)).to.include({ code: 0, errors: '' });
      const hostile = {
        ...{ MIKRO_ORM_CLIENT_URL: 'no URL at all', MIKRO_ORM_PORT: '9', MIKRO_ORM_DB_NAME: 'nowhere' },
        ...{ MIKRO_ORM_SCHEMA: 'elsewhere', MIKRO_ORM_IMPLICIT_TRANSACTIONS: 'false' },
        ...{ MIKRO_ORM_DEBUG: 'true', PGSSLNEGOTIATION: 'direct' },
      };
      const words = ['campaign', 'create', '--owner', '7', '--json'];
      const done = await commandProcess(words, { ...hostile, ...socket }, '/');
      expect(done).to.deep.equal(answered('{"id":1}\n'));
      const ENVIRONMENT_FILE = folder.at('environment');
      const lines = Object.entries(socket).map(([name, value]) => `${name}=${value}\n`);
      await writeFile(ENVIRONMENT_FILE, lines.join(''));
      const settings = { ENVIRONMENT_FILE, PGPORT: '9', PGUSER: 'nobody' };
      const list = await commandProcess(['campaign', 'list', '--json'], settings);
      expect(JSON.parse(list.output)).to.include({ id: 1, owner_id: 7 });
    } finally {
      await server.remove();
    }
  });
});

describe('the embedded database', () => {
  const data = dataFolderOf('test');

  it('is spoken to as it is, whatever variables there are of another one', async () => {
    const tls = { PGSSLMODE: 'typo', PGSSLROOTCERT: '/nowhere', PGSSLNEGOTIATION: 'direct' };
    const other = { PGPORT: '9', PGUSER: 'nobody', PGDATABASE: 'nowhere', PGPASSWORD: 'MARKED', ...tls };
    const { process } = await listeningService({ DATA_DIR: data.path, ...other });
    const [{ settings } = {}] = eventsOf(process, 'starting');
    expect(settings).to.include({ PGPASSWORD: '(set)' }).and.not.have.property('PGUSER');
    expect((await process.stop()).code).to.equal(0);
  });
});
