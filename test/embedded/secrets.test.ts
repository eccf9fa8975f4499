import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { query } from '../support/database/client.ts';
import { type Opened, pgdataOf, sandbox } from '../support/embedded/embedded-sandbox.ts';
import { eventually } from '../support/promises.ts';

const marker = 'marker-of-a-parameter';
const everyRole = Object.keys(roles) as Role[];

describe('the embedded database is durable, admits its own roles alone, and logs no secret', () => {
  const place = sandbox();
  let folder: string;
  let database: Opened;
  let passwords: string[];
  before(async () => {
    folder = await place.folder();
    process.env.SOMETHING_SECRET = 'something-secret';
    database = await place.open(folder, { settings: {} });
    delete process.env.SOMETHING_SECRET;
    passwords = ['superuser' as const, ...everyRole].map((user) => database.address(user).password);
  });

  /** The code of the error; `done` without one. */
  const outcome = (of: Role | 'superuser', other: object, text = 'select 1', values: unknown[] = []) =>
    query({ ...database.address(of), ...other }, text, values).then(
      () => 'done',
      (error: { code?: string }) => error.code ?? 'failed',
    );

  it('it listens on 127.0.0.1 alone, flushes every commit, and has no environment of the service', async () => {
    const [server] = (await readFile(join(pgdataOf(folder), 'postmaster.pid'), 'utf8')).split('\n');
    expect(await readFile(`/proc/${server}/environ`, 'utf8')).not.contain('something-secret');
    const { uid } = await stat(pgdataOf(folder));
    expect((await stat(`/proc/${server}`)).uid).equal(uid);
    const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
    const expected = { ...durable, listen_addresses: '127.0.0.1', unix_socket_directories: '' };
    const settings = 'select name, setting from pg_settings where name = any($1)';
    const rows = await database.query(settings, [Object.keys(expected)]);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).deep.equal(expected);
  });

  it('each role logs in with its own password, and only the owner creates anything', async () => {
    for (const role of everyRole) {
      expect(await outcome(role, { password: 'wrong' })).equal('28P01');
      expect(await outcome(role, { password: '' })).not.equal('done');
      expect(await outcome(role, { database: 'postgres' })).equal('42501');
      for (const what of ['schema another', 'table public.another ()', 'temporary table another ()'])
        expect(await outcome(role, {}, `create ${what}`)).equal(role === 'owner' ? 'done' : '42501');
    }
    expect(new Set(passwords)).property('size', 5);
    for (const password of passwords) expect(password).match(/^[\w-]{32}$/);
    await database.query(`create role stranger login password 'strange'`);
    expect(await outcome('owner', { user: 'stranger', password: 'strange' })).equal('42501');
  });

  it('its log has no statement, parameter or password, also after failures and a crash', async () => {
    await database.query('create table once (text text primary key)');
    await database.query('insert into once values ($1)', [marker]);
    const failing = [
      await outcome('service', {}, 'select $1::uuid', [marker]),
      await outcome('service', {}, `select '${marker}' from`),
      await outcome('service', { password: marker }),
      await outcome('superuser', {}, 'insert into once values ($1)', [marker]),
    ];
    expect(failing).deep.equal(['22P02', '42601', '28P01', '23505']);

    const crashed = outcome('service', {}, `select pg_sleep(600), '${marker}'`);
    const sleeping = "select pid from pg_stat_activity where query like 'select pg_sleep%'";
    const backend = await eventually('the sleep', async () => {
      const rows = await database.query(sleeping);
      expect(rows).length(1);
      return rows[0].pid as number;
    });
    process.kill(backend, 'SIGKILL');
    expect(await crashed).not.equal('done');
    const text = await eventually('the end of the crash', async () => {
      const log = await readFile(join(folder, 'cluster', 'postgresql.log'), 'utf8');
      expect(log).match(/was terminated by signal 9.*ready to accept connections/s);
      return log;
    });
    for (const hidden of [marker, 'select ', 'insert ', ...passwords]) expect(text).not.contain(hidden);
  });
});
