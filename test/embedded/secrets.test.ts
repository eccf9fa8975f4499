import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Role, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import {
  type Opened,
  pgdataOf,
  query,
  Sandbox,
  serverOf,
  until,
} from '../support/embedded/embedded-sandbox.ts';

const marker = 'marker-of-a-parameter';
const failure = async (promise: Promise<unknown>) =>
  await promise.then(
    () => 'no failure',
    (error: { code?: string }) => error.code,
  );

describe('what the embedded database lets out and in', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let database: Opened;

  before(async () => {
    folder = await sandbox.folder();
    database = await sandbox.open(folder);
  });
  after(() => sandbox.clean());

  const log = () => readFile(join(folder, 'cluster', 'postgresql.log'), 'utf8');

  it('lets each role in by its own password, which differs from the others', async () => {
    const everyRole = Object.keys(roles) as Role[];
    for (const role of everyRole) {
      const address = database.address(role);
      const [row] = await query(address, 'select current_user as who, current_database() as what');
      expect(row).deep.equal({ who: roles[role], what: 'campaign_mirror' });
      expect(await failure(query({ ...address, password: 'wrong' }, 'select 1'))).equal('28P01');
      expect(await failure(query({ ...address, password: '' }, 'select 1'))).not.equal('no failure');
      expect(await failure(query({ ...address, database: 'postgres' }, 'select 1'))).equal('42501');
    }
    const passwords = [...everyRole, 'superuser' as const].map((user) => database.address(user).password);
    expect(new Set(passwords)).property('size', 5);
    for (const password of passwords) expect(password).match(/^[\w-]{32}$/);
  });

  it('lets the owner alone create, and lets no other role in', async () => {
    const create = 'create schema made_by_a_role';
    expect(
      await failure(
        query(database.address('owner'), `${create}; create table public.t (); drop table public.t`),
      ),
    ).equal('no failure');
    for (const role of ['operator', 'service', 'redirector'] as const) {
      const address = database.address(role);
      expect(await failure(query(address, 'create schema another'))).equal('42501');
      expect(await failure(query(address, 'create table public.another ()'))).equal('42501');
      expect(await failure(query(address, 'create temporary table another ()'))).equal('42501');
    }
    const superuser = database.address('superuser');
    await query(superuser, `create role stranger login password 'strange'`);
    expect(await failure(query({ ...superuser, user: 'stranger', password: 'strange' }, 'select 1'))).equal(
      '42501',
    );
  });

  it('keeps statements, parameters and passwords out of its logs, also when a statement fails or crashes', async () => {
    const service = database.address('service');
    expect(await failure(query(service, 'select $1::uuid', [marker]))).equal('22P02');
    expect(await failure(query(service, `select '${marker}' from`))).not.equal('no failure');
    expect(await failure(query({ ...service, password: marker }, 'select 1'))).equal('28P01');
    const superuser = database.address('superuser');
    await query(superuser, 'create table once (text text primary key)');
    await query(superuser, 'insert into once values ($1)', [marker]);
    expect(await failure(query(superuser, 'insert into once values ($1)', [marker]))).equal('23505');

    const crashed = failure(query(service, `select pg_sleep(600), '${marker}'`));
    const backend = await until('the sleep', async () => {
      const rows = await query(
        superuser,
        `select pid from pg_stat_activity where query like 'select pg_sleep%'`,
      );
      return rows[0]?.pid as number | undefined;
    });
    process.kill(backend, 'SIGKILL');
    expect(await crashed).not.equal('no failure');
    const text = await until('the end of the crash', async () => {
      const [, after] = (await log()).split('was terminated by signal 9');
      return after?.includes('ready to accept connections') ? await log() : undefined;
    });
    expect(text).contain('was terminated by signal 9').contain('password authentication failed');
    expect(text).not.contain(marker).not.contain('select ').not.contain('insert ');
    for (const user of ['superuser', ...(Object.keys(roles) as Role[])] as const)
      expect(text).not.contain(database.address(user).password);
  });

  it('has no password on its command line or in plain in its files', async () => {
    const command = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(await serverOf(folder))], {
      encoding: 'utf8',
    }).stdout;
    expect(command).contain('listen_addresses=127.0.0.1');
    await database.close();
    const files = await readdir(pgdataOf(folder), { recursive: true, withFileTypes: true });
    const contents = files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
    const everything = [command, ...(await Promise.all(contents))];
    for (const user of ['superuser', ...(Object.keys(roles) as Role[])] as const)
      expect(
        everything.some((text) => text.includes(database.address(user).password)),
        user,
      ).equal(false);
  });
});
