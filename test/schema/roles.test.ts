import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import pg from 'pg';
import { scramVerifier } from '../../packages/adapters-persistence/src/migration/scram-verifier.ts';
import { command, refused } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { piped } from '../support/commands/pipe.ts';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { rejection } from '../support/faults.ts';
import { dataFolder } from '../support/process/data-folder.ts';
import { endAll, listeningService } from '../support/process/service-process.ts';

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
    await first.query('select pg_reload_conf()');
    await first.end();
    admin = await connect(server.address('postgres'));
  });
  after(async () => {
    await endAll();
    await admin.end();
    await server.remove();
  });

  it('with what it shows the roles migrate, serve and act; the server has seen no password', async () => {
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
      return url('mirrors', `${name}:${password}`);
    };
    expect((await command(['migrate'], { DATABASE_URL: urlOf('owner') })).errors).to.equal('');
    await (
      await listeningService({ DATABASE_URL: urlOf('service'), RUN_MIGRATIONS: 'false' })
    ).process.stop();
    const made = await command(['campaign', 'create', '--owner', '1'], { DATABASE_URL: urlOf('operator') });
    expect(made.code, made.errors).to.equal(0);
    const redirector = new pg.Client(urlOf('redirector'));
    await redirector.connect();
    await redirector.query('select from campaign_mirror.current_mirrors');
    await redirector.end();
    const wrong = new pg.Client(url('mirrors', 'campaign_mirror_service:wrong'));
    expect(await rejection(wrong.connect())).to.have.property('code', '28P01');

    const log = server.log();
    expect(log).to.match(/create role campaign_mirror_service login password 'SCRAM-SHA-256\$/);
    for (const { password } of shown) expect(log).not.to.include(password);

    const { rows: held } = await admin.query(
      `select rolname from pg_roles where rolname like 'campaign%' and (rolsuper or rolcreaterole or rolcreatedb
         or rolreplication or rolbypassrls or not rolcanlogin)`,
    );
    expect(held).to.deep.equal([]);
  });

  it('a second run changes nothing, and says so', async () => {
    const { rows: before } = await admin.query(catalogue);
    const { code, output, errors } = await create('mirrors', '--json');
    expect(code).to.equal(0);
    expect(errors).to.equal('All roles were there.\n');
    for (const one of objectsOf(output) as Shown[])
      expect(one).to.include({ created: false, password: null });
    expect((await admin.query(catalogue)).rows).to.deep.equal(before);
    expect((await create('mirrors')).output).to.match(
      /^campaign_mirror_owner +\(there already, left as it is\)/m,
    );
  });

  it('one that is missing is created, with its rights on the schema that is there, for people to read', async () => {
    await admin.query('drop owned by campaign_mirror_redirector');
    const mirrors = await connect(server.address('postgres', 'mirrors'));
    await mirrors.query('drop owned by campaign_mirror_redirector');
    await mirrors.query('drop role campaign_mirror_redirector');
    await mirrors.end();
    const { code, output, errors } = await create('mirrors');
    expect(code, errors).to.equal(0);
    expect(errors).to.equal('The passwords cannot be shown again.\n');
    const [, password] = /^campaign_mirror_redirector +(\S{32}) +your redirector$/m.exec(output) ?? [];
    const redirector = new pg.Client(url('mirrors', `campaign_mirror_redirector:${password}`));
    await redirector.connect();
    await redirector.query('select from campaign_mirror.current_mirrors');
    await redirector.end();
  });

  it('in a further database the owner may make the schema, and nobody is created again', async () => {
    await admin.query('create database further');
    await admin.query('revoke temporary on database further from public');
    const { errors } = await create('further');
    expect(errors).to.match(/^All roles were there\.\nNext: /);
    const { rows } = await admin.query(
      `select has_database_privilege('campaign_mirror_owner', 'further', 'create') as owner,
        has_database_privilege('campaign_mirror_operator', 'further', 'temporary') as operator`,
    );
    expect(rows[0]).to.deep.equal({ owner: true, operator: true });
  });

  it('an ordinary user, or somebody who owns neither, is told what it takes; nothing is done', async () => {
    await admin.query("create role plain login password 'plain'");
    await admin.query("create role maker login createrole password 'maker'");
    await admin.query('create database owned owner plain');
    await withoutRoles(async () => {
      const { rows: before } = await admin.query(catalogue);
      const plain = await command(['roles', 'create'], { DATABASE_URL: url('owned', 'plain:plain') });
      expect(plain).to.deep.equal(
        refused(
          'the user "plain" may not create roles: run this as a superuser, or as the owner of the database with CREATEROLE\n',
        ),
      );
      const maker = await command(['roles', 'create'], { DATABASE_URL: url('owned', 'maker:maker') });
      expect(maker).to.include({ code: 1, output: '' });
      expect(maker.errors).to.match(
        /^the database belongs to "plain": run this as that user, who needs CREATEROLE/,
      );
      expect((await admin.query(catalogue)).rows).to.deep.equal(before);
    });
  });

  it('a user with CREATEROLE who owns the database and its schema does it, and is told to go on migrating', async () => {
    await admin.query("create role single login createrole password 'single'");
    await admin.query('create database single owner single');
    const DATABASE_URL = url('single', 'single:single');
    await withoutRoles(async () => {
      await command(['migrate'], { DATABASE_URL });
      const { code, output, errors } = await command(['roles', 'create', '--json'], { DATABASE_URL });
      expect(code, errors).to.equal(0);
      expect(errors).to.include('The schema belongs to "single", who has to go on migrating it.\n');
      const { password } = (objectsOf(output) as Shown[]).find(({ role }) => role === 'operator') ?? {};
      const as = { DATABASE_URL: url('single', `campaign_mirror_operator:${password}`) };
      expect((await command(['campaign', 'create', '--owner', '1'], as)).code).to.equal(0);
    });
  });

  it('where nobody could take the passwords, no role is created', async () => {
    await withoutRoles(async () => {
      const { code, errors } = await piped(['roles', 'create'], 'true', {
        DATABASE_URL: url('postgres', 'postgres'),
      });
      expect(code).to.equal(1);
      expect(errors).to.equal(
        'standard output did not take the passwords: no role was created; run it again\n',
      );
      const { rows } = await admin.query('select rolname from pg_roles where rolname = any($1)', [
        Object.values(roles),
      ]);
      expect(rows).to.deep.equal([]);
    });
  });

  it('the passwords go to files, and are shown nowhere', async () => {
    await withoutRoles(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-passwords-'));
      await admin.query('create database confided');
      const made = await create('confided', '--passwords', folder);
      expect(made.code, made.errors).to.equal(0);
      const { host, port } = server.address('confided');
      for (const [role, name] of Object.entries(roles)) {
        const file = join(folder, role, 'password');
        expect((await stat(file)).mode & 0o777).to.equal(0o600);
        const password = (await readFile(file, 'utf8')).trimEnd();
        expect(made.output).to.include(file).and.not.to.include(password);
        await (await connect({ host, port, user: name, password, database: 'confided' })).end();
      }
      const kept = await readFile(join(folder, 'service', 'password'), 'utf8');
      expect((await create('confided', '--passwords', folder)).code).to.equal(0);
      expect(await readFile(join(folder, 'service', 'password'), 'utf8')).to.equal(kept);
      await rm(folder, { recursive: true });
    });
  });

  it('where they cannot be written, no role is created', async () => {
    await withoutRoles(async () => {
      const { code, errors } = await create('postgres', '--passwords', '/dev/null');
      expect(code).to.equal(1);
      expect(errors).to.equal('/dev/null/owner cannot be made (ENOTDIR): no role was created\n');
      const { rows } = await admin.query('select from pg_roles where rolname = any($1)', [
        Object.values(roles),
      ]);
      expect(rows).to.deep.equal([]);
    });
  });

  it('on the embedded database there is nothing to do, and it is not even brought up', async () => {
    const folder = await dataFolder();
    const { code, output, errors } = await command(['roles', 'create'], { DATA_DIR: folder.path });
    expect({ code, output }).to.deep.equal({ code: 0, output: '' });
    expect(errors).to.match(/^Nothing to do: the embedded database has its roles\./);
    await folder.remove();
  });

  const create = (database: string, ...args: string[]) =>
    command(['roles', 'create', ...args], { DATABASE_URL: url(database, 'postgres') });

  function url(database: string, user: string): string {
    const { host, port } = server.address('postgres');
    return `postgres://${user}@${host}:${port}/${database}`;
  }

  /** As on a server where nobody has created them: with all that is theirs they are removed first. */
  async function withoutRoles(run: () => Promise<void>): Promise<void> {
    const { rows: made } = await admin.query('select rolname from pg_roles where rolname = any($1)', [
      Object.values(roles),
    ]);
    const { rows } = await admin.query("select datname from pg_database where datname <> 'template0'");
    for (const { datname } of rows) {
      const client = await connect(server.address('postgres', datname));
      for (const { rolname } of made) await client.query(`drop owned by ${rolname} cascade`);
      await client.end();
    }
    for (const { rolname } of made) await admin.query(`drop role ${rolname}`);
    await run();
  }
});

describe('what is sent of a password', () => {
  it('is what a server keeps of it (RFC 7677, section 3)', () => {
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
    expect(scramVerifier('pencil', salt)).to.equal(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    );
  });
});
