import { userInfo } from 'node:os';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { isYours, yourDatabase } from '../../packages/app/src/settings/your-database.ts';
import { command, commandProcess } from '../support/commands/command.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { databaseOf } from '../support/process/lives.ts';

type Environment = Record<string, string>;

function read(environment: Environment) {
  const found = readSettings(environment);
  if ('wrong' in found) throw new Error(found.wrong.join('\n'));
  return found;
}

const place = (environment: Environment) => yourDatabase(read(environment).settings).address;

describe('a database of yours', () => {
  it('is where DATABASE_URL says', () => {
    const url = 'postgresql://me:p%C3%A4ss%20word@db.example:5433/mirrors?application_name=x';
    expect(place({ DATABASE_URL: url })).to.deep.equal({
      host: 'db.example',
      port: 5433,
      user: 'me',
      password: 'p\u00e4ss word',
      database: 'mirrors',
      ssl: false,
      sslnegotiation: 'postgres',
    });
  });

  it('is where PGHOST says where there is no DATABASE_URL, with what PostgreSQL takes for the rest', () => {
    const { username } = userInfo();
    const rest = { ssl: false, sslnegotiation: 'postgres' };
    expect(place({ PGHOST: 'db' })).to.deep.equal({
      host: 'db',
      port: 5432,
      user: username,
      database: username,
      ...rest,
    });
    const all = { PGHOST: 'db', PGPORT: '5433', PGUSER: 'me', PGPASSWORD: ' it is ', PGDATABASE: 'mirrors' };
    expect(place(all)).to.deep.equal({
      host: 'db',
      port: 5433,
      user: 'me',
      password: ' it is ',
      database: 'mirrors',
      ...rest,
    });
    expect(place({ PGHOST: 'db', PGUSER: 'me' })).to.include({ database: 'me' });
  });

  it('takes what DATABASE_URL leaves out from the PG* variables, and nothing that it says', () => {
    const variables = { PGPORT: '1', PGUSER: 'other', PGPASSWORD: 'theirs', PGDATABASE: 'other' };
    const whole = { DATABASE_URL: 'postgres://me:mine@db:2/mirrors', PGHOST: 'other', ...variables };
    expect(place(whole)).to.include({
      host: 'db',
      port: 2,
      user: 'me',
      password: 'mine',
      database: 'mirrors',
    });
    expect(place({ DATABASE_URL: 'postgres:///', PGHOST: 'db', ...variables })).to.include({
      host: 'db',
      port: 1,
      user: 'other',
      password: 'theirs',
      database: 'other',
    });
    expect(place({ DATABASE_URL: 'postgres:///mirrors?host=/run/postgresql' }).host).to.equal(
      '/run/postgresql',
    );
    expect(place({ DATABASE_URL: 'postgres://me:it@/mirrors' })).to.include({
      host: 'localhost',
      password: 'it',
    });
    expect(place({ DATABASE_URL: 'postgres://%2Frun%2Fpostgresql/mirrors' }).host).to.equal(
      '/run/postgresql',
    );
    expect(place({ DATABASE_URL: 'postgres://[::1]/mirrors' }).host).to.equal('::1');
  });

  it('is not named by what goes with PGHOST alone: that is told, and the embedded one is used', () => {
    const { settings, notes } = read({ PGPORT: '5433', PGUSER: 'me' });
    expect(isYours(settings)).to.equal(false);
    expect(notes).to.deep.equal([
      'the embedded database is used, not PGPORT, PGUSER: set PGHOST to use yours',
    ]);
  });

  it('is reported when it is named twice', () => {
    const PGHOST = 'db';
    expect(read({ DATABASE_URL: 'postgres://other/x', PGHOST }).notes).to.deep.equal([
      'PGHOST is used only where DATABASE_URL names no host',
    ]);
  });

  describe('TLS to it', () => {
    const tls = (parameters: string, environment: Environment = {}) =>
      place({ DATABASE_URL: `postgres://db/x${parameters}`, ...environment }).ssl;
    const believing = { rejectUnauthorized: false };
    const checking = { rejectUnauthorized: true, host: 'db' };

    it('is what sslmode means to libpq', () => {
      expect(tls('')).to.equal(false);
      expect(tls('?sslmode=disable')).to.equal(false);
      expect(tls('?sslmode=require')).to.deep.equal(believing);
      expect(tls('?sslmode=verify-full')).to.deep.equal(checking);
      expect(tls('?ssl=true'), 'something of TLS is named').to.deep.equal(checking);
      expect(tls('?uselibpqcompat=true&sslmode=require')).to.deep.equal(believing);
      expect(tls('?sslmode=require&sslmode=disable')).to.equal(false);
    });

    it('is as PGSSLMODE says where the address does not', () => {
      expect(tls('', { PGSSLMODE: 'verify-full' })).to.deep.equal(checking);
      expect(tls('?sslmode=disable', { PGSSLMODE: 'verify-full' })).to.equal(false);
      expect(place({ PGHOST: 'db', PGSSLMODE: 'require' }).ssl).to.deep.equal(believing);
    });

    it('checks the host too where a CA is named, and no mode; the machine names CAs by `system`', () => {
      expect(tls('?sslrootcert=system')).to.include(checking).and.to.have.property('ca').that.is.an('array');
    });

    it('is not asked for on a socket', () => {
      expect(place({ PGHOST: '/run/postgresql', PGSSLMODE: 'verify-full' }).ssl).to.equal(false);
    });
  });

  describe('and the commands', () => {
    const database = databaseOf('suite');

    it('read PGHOST and its siblings, as the service does, also from the folder of the caller', async () => {
      const { host, port, user = '', password } = database.address('operator');
      const settings = {
        PGHOST: host,
        PGPORT: String(port),
        PGUSER: user,
        PGPASSWORD: String(password),
        PGDATABASE: database.name,
      };
      const done = await commandProcess(['campaign', 'create', '--owner', '7', '--json'], settings, {
        cwd: '/',
      });
      expect(done).to.include({ code: 0, errors: '' });
      const { rows } = await database.admin.query('select owner_id::int from campaign_mirror.campaigns');
      expect(rows).to.deep.equal([{ owner_id: 7 }]);
    });

    it('are not led astray by variables of MikroORM, or by those of PostgreSQL that are none of ours', async () => {
      const hostile = {
        MIKRO_ORM_CLIENT_URL: 'no URL at all',
        MIKRO_ORM_HOST: '127.0.0.1',
        MIKRO_ORM_PORT: '9',
        MIKRO_ORM_USER: 'nobody',
        MIKRO_ORM_PASSWORD: 'wrong',
        MIKRO_ORM_DB_NAME: 'nowhere',
        MIKRO_ORM_SCHEMA: 'elsewhere',
        MIKRO_ORM_IMPLICIT_TRANSACTIONS: 'false',
        MIKRO_ORM_TIMEZONE: '+05:00',
        MIKRO_ORM_FORCE_UTC_TIMEZONE: 'true',
        MIKRO_ORM_MIGRATIONS_TRANSACTIONAL: 'false',
        MIKRO_ORM_MIGRATIONS_PATH: '/nowhere',
        MIKRO_ORM_DEBUG: 'true',
        PGSSLNEGOTIATION: 'direct',
        PGAPPNAME: 'other',
      };
      const settings = { ...hostile, DATABASE_URL: database.url('operator') };
      const plain = await command(['campaign', 'list', '--json'], { DATABASE_URL: database.url('operator') });
      expect(plain).to.include({ code: 0, errors: '' });
      expect(await commandProcess(['campaign', 'list', '--json'], settings)).to.deep.equal(plain);
    });
  });

  it('can be reached by its socket', async () => {
    const server: DedicatedServer = await dedicatedServer({ socket: true });
    try {
      const { port } = server.address('postgres');
      const socket = {
        PGHOST: server.data,
        PGPORT: String(port),
        PGUSER: 'postgres',
        PGDATABASE: 'postgres',
      };
      const done = await command(['migrate'], { ...socket, PGSSLMODE: 'verify-full' });
      expect(done).to.include({ code: 0, errors: '' });
    } finally {
      await server.remove();
    }
  });
});
