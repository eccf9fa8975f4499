import { syncBuiltinESMExports } from 'node:module';
import os, { userInfo } from 'node:os';
import { mock } from 'node:test';
import { expect } from 'chai';
import { externalDatabase } from '../../packages/app/src/settings/external-database.ts';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { answered, command, commandProcess } from '../support/commands/command.ts';
import { dedicatedServer } from '../support/database/dedicated-server.ts';

type Environment = Record<string, string>;

function databaseIn(environment: Environment) {
  const read = readSettings(environment);
  if ('wrong' in read) throw new Error(read.wrong.join('\n'));
  return externalDatabase(read.settings);
}

/** Where it is, in one line: `user:password@host:port/database`. */
function place(environment: Environment): string {
  const { user, password, host, port, database } = databaseIn(environment).address;
  return `${user}:${password}@${host}:${port}/${database}`;
}

describe('a database of yours', () => {
  const { username } = userInfo();
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
      [{ PGHOST: 'db' }, `${username}:undefined@db:5432/${username}`],
      [{ PGHOST: 'db', PGUSER: 'me' }, 'me:undefined@db:5432/me'],
    ];
    for (const [environment, expected] of places) expect(place(environment)).to.equal(expected);
  });

  it('is spoken to as the URL says, else as PGSSLMODE does; a part of TLS without a mode means all of it', () => {
    const modes: [parameters: string, PGSSLMODE: string, tls: string][] = [
      ['', '', 'disable'],
      ['?ssl=false', '', 'disable'],
      ['?ssl=0', 'verify-full', 'disable'],
      ['?ssl=true', '', 'verify-full'],
      ['?ssl=1', 'require', 'require'],
      ['?ssl=true', 'disable', 'verify-full'],
      ['?ssl=false&sslmode=require', '', 'require'],
      ['?sslnegotiation=direct', '', 'verify-full'],
      ['', 'require', 'require'],
      ['?sslmode=disable', 'require', 'disable'],
    ];
    for (const [parameters, PGSSLMODE, tls] of modes) {
      const DATABASE_URL = `postgres://me@db/x${parameters}`;
      const { address, tls: mode } = databaseIn({ DATABASE_URL, PGSSLMODE });
      expect([mode, address.ssl === false], parameters + PGSSLMODE).to.deep.equal([tls, tls === 'disable']);
    }
  });

  it('needs a user, where that of the operating system has no name, as in a container that runs as any number', async () => {
    const none = mock.method(os, 'userInfo', () => expect.fail('no such user'));
    syncBuiltinESMExports();
    const config = (settings: Environment) => command(['config', '--json'], settings);
    for (const settings of [{ PGHOST: 'db' }, { DATABASE_URL: 'postgres://db/x' }]) {
      const { code, errors } = await config(settings);
      expect(code).to.equal(2);
      expect(errors).to.match(/^PGUSER must be set, or DATABASE_URL name a user: .* \d+, has no name\n$/);
    }
    expect(await config({ PGHOST: 'db', PGUSER: 'me' })).to.include({ code: 0, errors: '' });
    none.mock.restore();
    syncBuiltinESMExports();
  });

  it('is found by the commands, by its socket and from any folder, whatever variables of MikroORM there are', async () => {
    const server = await dedicatedServer({ socket: true });
    try {
      const user = { PGUSER: 'postgres', PGDATABASE: 'postgres', PGSSLMODE: 'verify-full' };
      const socket = { PGHOST: server.data, PGPORT: String(server.address('postgres').port), ...user };
      expect(await command(['migrate'], socket)).to.include({ code: 0, errors: '' });
      const hostile = {
        ...{ MIKRO_ORM_CLIENT_URL: 'no URL at all', MIKRO_ORM_PORT: '9', MIKRO_ORM_DB_NAME: 'nowhere' },
        ...{ MIKRO_ORM_SCHEMA: 'elsewhere', MIKRO_ORM_IMPLICIT_TRANSACTIONS: 'false' },
        ...{ MIKRO_ORM_DEBUG: 'true', PGSSLNEGOTIATION: 'direct' },
      };
      const words = ['campaign', 'create', '--owner', '7', '--json'];
      const done = await commandProcess(words, { ...hostile, ...socket }, '/');
      expect(done).to.deep.equal(answered('{"id":1}\n'));
      const list = await command(['campaign', 'list', '--json'], socket);
      expect(JSON.parse(list.output)).to.include({ id: 1, owner_id: 7 });
    } finally {
      await server.remove();
    }
  });
});
