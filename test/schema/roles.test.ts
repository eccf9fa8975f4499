import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grantedRights, migrate, type Role, rightsOf, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type pg from 'pg';
import { command, piped, refused } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { endAll, listeningService } from '../support/process/service-process.ts';
import { rejection } from '../support/promises.ts';

interface Shown {
  readonly role: string;
  readonly name: string;
  readonly created: boolean;
  readonly password: string | null;
}

/** What the server holds of roles, databases and schemas: another version of a row has another `xmin`. */
const catalogue = `
  select xmin, rolname as name from pg_authid
  union all select xmin, datname from pg_database
  union all select xmin, nspname from pg_namespace where nspname not like 'pg_t%' order by 2`;

describe('roles create', () => {
  let server: DedicatedServer;
  let admin: pg.Client;

  before(async () => {
    server = await dedicatedServer();
    const first = await connect(server.address('postgres'));
    const { rows } = await first.query('show hba_file');
    // The superuser is trusted, everybody else needs a password; what is said to the server is in its log.
    await first.query(`
      copy (values ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256'))
      to '${rows[0].hba_file}'`);
    await first.query("alter system set log_statement = 'all'");
    await first.query('alter system set fsync = off');
    await first.query('select pg_reload_conf()');
    await first.end();
    admin = await connect(server.address('postgres'));
    await admin.query("create role plain login password 'plain'");
    await admin.query('create database plain owner plain');
  });
  after(async () => {
    await endAll();
    await admin.end();
    await server.remove();
  });

  it('is not needed: an ordinary user who owns the database migrates; a role that comes later gets its rights by the next migration', async () => {
    const address = { ...server.address('plain', 'plain'), password: 'plain' };
    await migrate(address);
    expect(await existing()).to.deep.equal([]);

    await admin.query(`create role ${roles.service} login password 'plain'`);
    const service = await connect({ ...address, user: roles.service });
    const missing = async () => rightsOf('service', await grantedRights(service)).missing;
    expect(await missing()).not.to.deep.equal([]);
    await migrate(address);
    expect(await missing()).to.deep.equal([]);
    await service.end();
  });

  it('with what it shows the roles migrate, serve and act; the server has seen no password', async () => {
    await withoutRoles();
    await admin.query('create database mirrors');
    const { code, output, errors } = await create('mirrors', '--json');
    expect(code, errors).to.equal(0);
    expect(errors).to.include('Next: `./campaign-mirror migrate` as campaign_mirror_owner');
    const shown = objectsOf(output) as Shown[];
    expect(shown.map(({ name, created }) => [name, created])).to.deep.equal(
      Object.values(roles).map((name) => [name, true]),
    );
    expect(new Set(shown.map(({ password }) => password)).size).to.equal(4);

    const urlOf = (role: string) => {
      const { name, password } = shown.find((one) => one.role === role) ?? {};
      return { DATABASE_URL: url('mirrors', `${name}:${password}`) };
    };
    expect((await command(['migrate'], urlOf('owner'))).errors).to.equal('');
    const warningsAs = async (role: string) => {
      const { process } = await listeningService({ ...urlOf(role), RUN_MIGRATIONS: 'false' });
      await process.stop();
      return process.log.filter(({ event }) => event === 'check-warned').map(({ check }) => check);
    };
    expect(await warningsAs('service')).to.deep.equal([]);
    expect(await warningsAs('owner')).to.deep.equal(['rights']);
    const made = await command(['campaign', 'create', '--owner', '1'], urlOf('operator'));
    expect(made.code, made.errors).to.equal(0);
    await readsMirrors(shown.find(({ role }) => role === 'redirector')?.password ?? '');
    expect(await rejection(readsMirrors('wrong'))).to.have.property('code', '28P01');

    const log = server.log();
    expect(log).to.match(/create role campaign_mirror_service login password 'SCRAM-SHA-256\$/);
    for (const { password } of shown) expect(log).not.to.include(password);
    const doctor = await command(['doctor'], { DATABASE_URL: url('mirrors', 'postgres') });
    expect(doctor.output).to.match(
      /^warning +rights .*"postgres" has more power than is needed: superuser, /m,
    );
  });

  it('a second run changes nothing; a role that is missing is created, and gets its rights by `migrate`; in a further database the owner may make the schema', async () => {
    const { rows: before } = await admin.query(catalogue);
    const { code, output, errors } = await create('mirrors', '--json');
    expect({ code, errors }).to.deep.equal({ code: 0, errors: `All roles exist already.\n${next}` });
    for (const one of objectsOf(output) as Shown[])
      expect(one).to.include({ created: false, password: null });
    expect((await admin.query(catalogue)).rows).to.deep.equal(before);

    await admin.query('drop owned by campaign_mirror_redirector');
    const mirrors = await connect(server.address('postgres', 'mirrors'));
    await mirrors.query('drop owned by campaign_mirror_redirector');
    await mirrors.query('drop role campaign_mirror_redirector');
    await mirrors.end();
    const again = await create('mirrors');
    expect(again).to.include({ code: 0, errors: `The passwords cannot be shown again.\n${next}` });
    expect(again.output).to.match(/^campaign_mirror_owner +\(exists already, left as it is\)/m);
    const [, password = ''] =
      /^campaign_mirror_redirector +(\S{32}) +your redirector$/m.exec(again.output) ?? [];
    await migrate(server.address('postgres', 'mirrors'));
    await readsMirrors(password);

    await admin.query('create database further');
    await admin.query('revoke temporary on database further from public');
    expect((await create('further')).errors).to.match(/^All roles exist already\.\nNext: /);
    const { rows } = await admin.query(
      `select has_database_privilege('campaign_mirror_owner', 'further', 'create') as owner,
        has_database_privilege('campaign_mirror_operator', 'further', 'temporary') as operator`,
    );
    expect(rows[0]).to.deep.equal({ owner: true, operator: true });
  });

  it('who may not is told what it takes, and nothing is done; a user with CREATEROLE who owns the database does it', async () => {
    await withoutRoles();
    await admin.query("create role maker login createrole password 'maker'");
    const { rows: before } = await admin.query(catalogue);
    const plain = await command(['roles', 'create'], { DATABASE_URL: url('plain', 'plain:plain') });
    expect(plain).to.deep.equal(
      refused(
        'the user "plain" may not create roles: run this as a superuser, or as the owner of the database with CREATEROLE\n',
      ),
    );
    const maker = await command(['roles', 'create'], { DATABASE_URL: url('plain', 'maker:maker') });
    expect(maker).to.include({ code: 1, output: '' });
    expect(maker.errors).to.match(
      /^the database belongs to "plain": run this as that user, who needs CREATEROLE/,
    );
    expect((await admin.query(catalogue)).rows).to.deep.equal(before);

    await admin.query("create role single login createrole password 'single'");
    await admin.query('create database single owner single');
    const DATABASE_URL = url('single', 'single:single');
    await command(['migrate'], { DATABASE_URL });
    const { code, output, errors } = await command(['roles', 'create', '--json'], { DATABASE_URL });
    expect(code, errors).to.equal(0);
    expect(errors).to.include('The schema belongs to "single", who has to go on migrating it.\n');
    const as = (role: Role, database: string) => {
      const { password } = (objectsOf(output) as Shown[]).find((one) => one.role === role) ?? {};
      return { DATABASE_URL: url(database, `${roles[role]}:${password}`) };
    };
    await command(['migrate'], { DATABASE_URL });
    const campaign = ['campaign', 'create', '--owner', '1'];
    expect((await command(campaign, as('operator', 'single'))).code).to.equal(0);

    // In a further database, whose schema the role of the owner makes: he may not act as that one.
    await admin.query('create database second owner single');
    const again = await command(['roles', 'create'], { DATABASE_URL: url('second', 'single:single') });
    expect(again).to.include({ code: 0, errors: `All roles exist already.\n${next}` });
    expect((await command(['migrate'], as('owner', 'second'))).code).to.equal(0);
    expect((await command(campaign, as('operator', 'second'))).code).to.equal(0);

    // In one that was migrated before there were roles.
    expect((await command(campaign, as('operator', 'plain'))).code).to.equal(1);
    expect(await create('plain')).to.include({ code: 0 });
    await migrate(server.address('postgres', 'plain'));
    expect((await command(campaign, as('operator', 'plain'))).code).to.equal(0);
  });

  it('the passwords go to files, and are shown nowhere', async () => {
    await withoutRoles();
    const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-passwords-'));
    await admin.query('create database confided');
    const made = await create('confided', '--passwords', folder);
    expect(made.code, made.errors).to.equal(0);
    const passwordOf = async (role: string) =>
      (await readFile(join(folder, role, 'password'), 'utf8')).trimEnd();
    const service = await passwordOf('service');
    for (const [role, user] of Object.entries(roles)) {
      const file = join(folder, role, 'password');
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
      const password = await passwordOf(role);
      expect(made.output).to.include(file).and.not.to.include(password);
      await (await connect({ ...server.address(user, 'confided'), password })).end();
    }
    expect((await create('confided', '--passwords', folder)).code).to.equal(0);
    expect(await passwordOf('service')).to.equal(service);
    await rm(folder, { recursive: true });
  });

  it('where nobody could take the passwords, or they cannot be written, no role is created', async () => {
    await withoutRoles();
    const DATABASE_URL = url('postgres', 'postgres');
    const { code, errors } = await piped(['roles', 'create'], 'true', { DATABASE_URL });
    const untaken = 'standard output did not take the passwords: no role was created; run it again\n';
    expect({ code, errors }).to.deep.equal({ code: 1, errors: untaken });
    expect(await create('postgres', '--passwords', '/dev/null')).to.include({
      code: 1,
      errors: '/dev/null/owner cannot be created (ENOTDIR): no role was created\n',
    });
    expect(await existing()).to.deep.equal([]);
  });

  const next =
    'Next: `./campaign-mirror migrate` as campaign_mirror_owner, which gives the roles their rights.\n';
  const create = (database: string, ...args: string[]) =>
    command(['roles', 'create', ...args], { DATABASE_URL: url(database, 'postgres') });

  function url(database: string, user: string): string {
    const { host, port } = server.address('postgres');
    return `postgres://${user}@${host}:${port}/${database}`;
  }

  async function readsMirrors(password: string): Promise<void> {
    const redirector = await connect({ ...server.address(roles.redirector, 'mirrors'), password });
    await redirector.query('select from campaign_mirror.current_mirrors');
    await redirector.end();
  }

  async function existing(): Promise<string[]> {
    const text = 'select rolname from pg_roles where rolname = any($1)';
    return (await admin.query(text, [Object.values(roles)])).rows.map(({ rolname }) => rolname);
  }

  /** As on a server where nobody has created them: with all that is theirs they are removed. */
  async function withoutRoles(): Promise<void> {
    const made = await existing();
    const { rows } = await admin.query("select datname from pg_database where datname <> 'template0'");
    for (const { datname } of rows) {
      const client = await connect(server.address('postgres', datname));
      for (const name of made) await client.query(`drop owned by ${name} cascade`);
      await client.end();
    }
    for (const name of made) await admin.query(`drop role ${name}`);
  }
});
