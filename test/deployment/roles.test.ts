import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { allowedOf, refused } from '../schema/refused-statements.ts';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { named } from '../support/documents/blocks.ts';
import { query } from '../support/embedded/embedded-sandbox.ts';
import { endAll, listeningService, outputOf, start } from '../support/process/service-process.ts';
import { inTerminal } from '../support/process/terminal.ts';
import { program } from '../support/programs.ts';
import { rejection } from '../support/promises.ts';
import { read } from '../support/workspace.ts';

const page = 'docs/how-to/own-postgresql.md';
const block = named(await read(page), 'rehearsed: ').get('roles') ?? `exit 1 # ${page} has no such block`;
/** What the script decides: attributes and settings of roles, memberships, rights on the database, on large objects and on WAL. */
const decided = `
  select to_jsonb(role) from (select rolname, rolcanlogin, rolconnlimit, rolconfig, rolsuper, rolcreaterole, rolcreatedb,
    rolreplication, rolbypassrls from pg_roles where rolname !~ '^pg_' order by 1) as role
  union all select to_jsonb(member) from (select roleid::regrole, member::regrole from pg_auth_members order by 1, 2) as member
  union all select to_jsonb(base) from (select datname, datacl from pg_database order by 1) as base
  union all select to_jsonb(made) from (select proname, proacl from pg_proc where proname ~ '^lo_|_emit_' order by oid) as made`;

for (const [version, folder] of [
  ['15', '/usr/lib/postgresql/15'],
  ['18', ''],
] as const)
  describe(`ops/roles.sql, on PostgreSQL ${version}`, () => {
    let server: DedicatedServer;
    const sql = (text: string, database = 'postgres') => query(server.address('postgres', database), text);
    const settingsOf = (user: string, database = 'mirrors') => {
      const { host, port } = server.address(user);
      return {
        PGHOST: host,
        PGPORT: `${port}`,
        PGUSER: user,
        PGDATABASE: database,
        PGPASSWORD: passwordOf(user),
      };
    };
    /** For a command in this process, whose own environment the driver reads. */
    const urlOf = (user: string, database = 'mirrors') => {
      const { host, port } = server.address(user);
      const login = [user, passwordOf(user)].map(encodeURIComponent).join(':');
      return { DATABASE_URL: `postgres://${login}@${host}:${port}/${database}` };
    };
    const passwordOf = (user: string) => `MARKED password of ${user}`;
    const givePassword = (user: string) =>
      sql(`alter role ${escapeIdentifier(user)} password ${escapeLiteral(passwordOf(user))}`);
    const script = (user: string, names: Record<string, string> = {}, database = 'mirrors') => {
      const sets = Object.entries(names).map(([role, name]) => `--set=${role}=${name}`);
      const words = ['--no-psqlrc', '--quiet', ...sets, '--file=ops/roles.sql'];
      return start(program('psql'), words, settingsOf(user, database));
    };
    const run = async (user: string, words: string, database = 'mirrors') => {
      const { code, output, errors } = await command(words.split(' '), urlOf(user, database));
      expect(code, `${words}: ${output}${errors}`).to.equal(0);
    };
    const rightsOf = async (user: string) => {
      const { output } = await command(['doctor', '--json'], urlOf(user));
      return objectsOf(output).filter(({ check }) => check === 'rights');
    };
    const allowed = async (user: string, role: keyof typeof refused) => {
      const client = await connect({ ...server.address(user, 'mirrors'), password: passwordOf(user) });
      return allowedOf(client, refused[role]).finally(() => client.end());
    };

    beforeEach(async () => {
      server = await dedicatedServer({ folder });
      const [{ hba_file }] = await sql('show hba_file');
      // The superuser is trusted, everybody else needs a password; what is said to the server is in its log.
      await sql(`copy (values ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256'))
        to '${hba_file}'`);
      await sql("alter system set log_statement = 'all'");
      await sql('select pg_reload_conf()');
    });
    afterEach(async () => {
      await endAll();
      await server.remove();
    });

    it(`run and given passwords as ${page} says, its roles migrate, serve and act, and nothing else; the server has seen no password; again it changes nothing`, async () => {
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
      const { service, redirector } = roles;
      const wrong = { ...server.address(service, 'mirrors'), password: 'wrong' };
      expect(await rejection(connect(wrong))).to.have.property('code', '28P01');

      await run(roles.owner, 'migrate');
      const { process } = await listeningService({ ...settingsOf(service), RUN_MIGRATIONS: 'false' });
      await process.stop();
      expect(process.log.filter(({ event }) => event === 'check-warned')).to.deep.equal([]);
      await run(roles.operator, 'campaign create --owner 1');
      const address = { ...server.address(redirector, 'mirrors'), password: passwordOf(redirector) };
      await query(address, 'select from campaign_mirror.current_mirrors');
      for (const role of ['service', 'operator', 'redirector'] as const)
        expect(await allowed(roles[role], role), role).to.deep.equal({});

      const attributes = `select rolname, rolconnlimit, rolconfig from pg_roles where rolname ~ '^camp' order by 1`;
      const rolconfig = ['default_transaction_isolation=read committed'];
      expect(await sql(attributes)).to.deep.equal([
        { rolname: roles.operator, rolconnlimit: 20, rolconfig },
        { rolname: roles.owner, rolconnlimit: 20, rolconfig },
        { rolname: roles.redirector, rolconnlimit: 60, rolconfig },
        { rolname: roles.service, rolconnlimit: 60, rolconfig },
      ]);
      const before = await sql(decided);
      await outputOf(script('postgres'));
      expect(await sql(decided)).to.deep.equal(before);

      await sql('create database further');
      await outputOf(script('postgres', { owner: "it's mine" }, 'further'));
      await givePassword("it's mine");
      await run("it's mine", 'migrate', 'further');
      await run(roles.operator, 'campaign create --owner 1', 'further');
    });

    it('the owner of a database that was migrated before runs it, for roles of other names; these have the same rights after `migrate`, and a superuser takes large objects away', async () => {
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
      const [{ finding, advice }] = (await rightsOf(names.service)).filter(
        ({ state }) => state === 'problem',
      );
      expect(finding).to.match(/ lacks what the service needs: .*, usage on schema campaign_mirror$/);
      expect(advice).to.match(
        /`\.\/campaign-mirror migrate` as the owner of the schema, cloud; use campaign_m/,
      );
      await run('cloud', 'migrate');
      await outputOf(script('postgres', names));
      for (const role of ['service', 'operator', 'redirector'] as const)
        expect(await allowed(names[role], role), role).to.deep.equal({});
      for (const role of ['service', 'operator'] as const)
        expect(await rightsOf(names[role])).to.deep.equal([
          {
            check: 'rights',
            state: 'ok',
            finding:
              `the user ${JSON.stringify(names[role])} may do what the ${role} does` +
              (role === 'service' ? '; for commands use campaign_mirror_operator' : ''),
            advice: null,
          },
        ]);
      await run(names.operator, 'campaign create --owner 1');
      expect((await rightsOf('other')).map(({ state }) => state)).to.include('problem');
    });
  });
