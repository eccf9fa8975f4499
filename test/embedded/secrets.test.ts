import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { type Opened, query, Sandbox } from '../support/embedded/embedded-sandbox.ts';
import { eventually } from '../support/promises.ts';

const marker = 'marker-of-a-parameter';
const everyRole = Object.keys(roles) as Role[];

describe('what the embedded database lets out and in', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let database: Opened;
  let passwords: string[];
  before(async () => {
    folder = await sandbox.folder();
    database = await sandbox.open(folder);
    passwords = ['superuser' as const, ...everyRole].map((user) => database.address(user).password);
  });
  after(() => sandbox.clean());

  /** The code of the error; `done` if there is none. */
  const outcome = (of: Role | 'superuser', other: object, text = 'select 1', values: unknown[] = []) =>
    query({ ...database.address(of), ...other }, text, values).then(
      () => 'done',
      (error: { code?: string }) => error.code ?? 'failed',
    );

  it('lets each role in by its own password, which differs from the others, the owner alone to create, and nobody else', async () => {
    for (const role of everyRole) {
      const who = 'select current_user as who, current_database() as what';
      const [row] = await query(database.address(role), who);
      expect(row).deep.equal({ who: roles[role], what: 'campaign_mirror' });
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

  it('keeps statements, parameters and passwords out of its logs, also when a statement fails or crashes', async () => {
    await database.query('create table once (text text primary key)');
    await database.query('insert into once values ($1)', [marker]);
    const failing = [
      await outcome('service', {}, 'select $1::uuid', [marker]),
      await outcome('service', {}, `select '${marker}' from`),
      await outcome('service', { password: marker }),
      await outcome('superuser', {}, 'insert into once values ($1)', [marker]),
      await outcome('service', {}, `select pg_terminate_backend(pg_backend_pid()), '${marker}'`),
    ];
    expect(failing).deep.equal(['22P02', '42601', '28P01', '23505', '57P01']);

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
    expect(text).contain('password authentication failed');
    for (const hidden of [marker, 'select ', 'insert ', ...passwords]) expect(text).not.contain(hidden);
  });
});
