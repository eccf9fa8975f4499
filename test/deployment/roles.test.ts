import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { allowedOf, refused } from '../schema/refused-statements.ts';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect, query } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { named } from '../support/documents/blocks.ts';
import { endAll, listeningService, outputOf, start } from '../support/process/service-process.ts';
import { inTerminal } from '../support/process/terminal.ts';
import { program } from '../support/programs.ts';
import { read } from '../support/workspace.ts';

const page = 'docs/how-to/own-postgresql.md';
const block = named(await read(page), 'rehearsed: ').get('roles') ?? `exit 1 # ${page} has no such block`;
/** All that the script sets: roles, memberships, and rights on databases and on the functions of PostgreSQL. */
const decided = `
  with role as (select rolname, rolcanlogin, rolconnlimit, rolconfig, rolsuper, rolcreaterole, rolcreatedb, rolreplication,
      rolbypassrls from pg_roles where rolname !~ '^pg_' order by 1),
    member as (select roleid::regrole, member::regrole from pg_auth_members order by 1, 2),
    base as (select datname, datacl from pg_database order by 1),
    made as (select proname, proacl from pg_proc where proname ~ '^lo_|_emit_' order by oid)
  select to_jsonb(role) from role union all select to_jsonb(member) from member
  union all select to_jsonb(base) from base union all select to_jsonb(made) from made`;

describe('ops/roles.sql gives each role the rights that it needs, and no others', () => {
  let server: DedicatedServer;
  const sql = (text: string) => query(server.address('postgres', 'postgres'), text);
  const passwordOf = (user: string) => `MARKED password of ${user}`;
  const settingsOf = (user: string) => {
    const { host, port } = server.address(user);
    const login = { PGUSER: user, PGPASSWORD: passwordOf(user) };
    return { PGHOST: host, PGPORT: `${port}`, PGDATABASE: 'mirrors', ...login };
  };
  /** For a command in this process, whose environment the driver reads. */
  const urlOf = (user: string) => {
    const { host, port } = server.address(user);
    const login = [user, passwordOf(user)].map(encodeURIComponent).join(':');
    return { DATABASE_URL: `postgres://${login}@${host}:${port}/mirrors` };
  };
  const givePassword = (user: string) =>
    sql(`alter role ${escapeIdentifier(user)} password ${escapeLiteral(passwordOf(user))}`);
  const script = (user: string, names: Record<string, string> = {}) => {
    const sets = Object.entries(names).map(([role, name]) => `--set=${role}=${name}`);
    const words = ['--no-psqlrc', '--quiet', ...sets, '--file=ops/roles.sql'];
    return start(program('psql'), words, settingsOf(user));
  };
  const run = async (user: string, words: string) => {
    const { code, output, errors } = await command(words.split(' '), urlOf(user));
    expect(code, `${words}: ${output}${errors}`).to.equal(0);
  };
  const rightsOf = async (user: string) => {
    const { output } = await command(['doctor', '--json'], urlOf(user));
    return objectsOf(output).filter(({ check }) => check === 'rights');
  };
  async function nothingElseIsAllowed(names: Record<keyof typeof refused, string>) {
    for (const role of ['service', 'operator', 'redirector'] as const) {
      const address = server.address(names[role], 'mirrors');
      const client = await connect({ ...address, password: passwordOf(names[role]) });
      const allowed = await allowedOf(client, refused[role]).finally(() => client.end());
      expect(allowed, role).to.deep.equal({});
    }
  }

  async function startServer(folder = ''): Promise<void> {
    server = await dedicatedServer({ folder });
    const [{ hba_file }] = await sql('show hba_file');
    // Every user but the superuser needs a password; the log has all statements.
    await sql(`copy (values ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256'))
      to '${hba_file}'`);
    await sql("alter system set log_statement = 'all'");
    await sql('select pg_reload_conf()');
  }
  afterEach(async () => {
    await endAll();
    await server.remove();
  });

  it(`on PostgreSQL 15, run as ${page} says, its roles work, and the log of the server has no password`, async () => {
    await startServer('/usr/lib/postgresql/15');
    await sql('create database mirrors');
    const here = block.replaceAll('db.example', '127.0.0.1');
    const person = inTerminal(['sh', '-ec', here], { PGPORT: settingsOf('postgres').PGPORT });
    for (const user of Object.values(roles)) {
      await person.shows(`Enter new password for user "${user}": `);
      person.type(`${passwordOf(user)}\n`);
      await person.shows(new RegExp(`"${user}": \\s*Enter it again: `));
      person.type(`${passwordOf(user)}\n`);
    }
    expect((await person.ended).code, person.screen).to.equal(0);
    expect(server.log())
      .to.match(/SCRAM-SHA-256\$/)
      .and.not.include('MARKED');

    await run(roles.owner, 'migrate');
    const { process } = await listeningService({ ...settingsOf(roles.service), RUN_MIGRATIONS: 'false' });
    await process.stop();
    expect(process.log.filter(({ event }) => event === 'check-warned')).to.deep.equal([]);
    await run(roles.operator, 'campaign create --owner 1');
    const { redirector } = roles;
    const address = { ...server.address(redirector, 'mirrors'), password: passwordOf(redirector) };
    await query(address, 'select from campaign_mirror.current_mirrors');
    await nothingElseIsAllowed(roles);
    const before = await sql(decided);
    await outputOf(script('postgres'));
    expect(await sql(decided)).to.deep.equal(before);
  });

  it('on PostgreSQL 18, the owner of a migrated database runs it for roles with other names', async () => {
    await startServer();
    const names = { service: 'The "service"', operator: "it's; drop", redirector: 'größer' };
    for (const user of ['cloud', 'other']) {
      await sql(`create role ${user} login createrole`);
      await givePassword(user);
    }
    await sql('create database mirrors owner cloud');
    await run('cloud', 'migrate');
    const { code, errors } = await script('other', names).done();
    expect(code).to.equal(3);
    expect(errors).to.include('run this as a superuser, or as the owner of the database with CREATEROLE\n');
    expect(await sql(`select from pg_roles where rolname ~ '^campaign_mirror'`)).to.deep.equal([]);

    await outputOf(script('cloud', names));
    for (const user of Object.values(names)) await givePassword(user);
    expect((await rightsOf(names.service)).map(({ state }) => state)).to.include('problem');
    await run('cloud', 'migrate');
    // A superuser also revokes what the owner cannot: the functions for large objects.
    await outputOf(script('postgres', names));
    await nothingElseIsAllowed(names);
    for (const role of ['service', 'operator'] as const)
      expect((await rightsOf(names[role])).map(({ state }) => state)).to.deep.equal(['ok']);
    await run(names.operator, 'campaign create --owner 1');
  });
});
