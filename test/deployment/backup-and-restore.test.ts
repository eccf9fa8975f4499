import { symlink } from 'node:fs/promises';
import { expect } from 'chai';
import { commandProcess } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { named } from '../support/documents/blocks.ts';
import { query } from '../support/embedded/embedded-sandbox.ts';
import { folderOf } from '../support/process/lives.ts';
import { outputOf, projectFolder, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { read } from '../support/workspace.ts';

const page = 'docs/how-to/backup-and-restore.md';
const blocks = named(await read(page), 'rehearsed: ');

/** Debian 12 has PostgreSQL 15, the oldest that is supported; the embedded one is 18, the newest. */
describe(`${page}, from PostgreSQL 15`, () => {
  let old: DedicatedServer;
  let anew: DedicatedServer;
  after(async () => {
    await old?.remove();
    await anew?.remove();
  });
  const folder = folderOf('suite');
  const rehearsed = new Set<string>();

  const settingsOn = (server: DedicatedServer, role: string, database: string) => ({
    ...{ PGHOST: '127.0.0.1', PGPORT: `${server.address('').port}`, PGDATABASE: database },
    PGUSER: role === 'postgres' ? role : `campaign_mirror_${role}`,
  });
  async function run(server: DedicatedServer, role: string, database: string, words: string, more = {}) {
    const settings = { ...settingsOn(server, role, database), ...more };
    const { code, output, errors } = await commandProcess([...words.split(' '), '--json'], settings);
    expect(code, `${words}: ${errors}`).to.equal(0);
    return objectsOf(output);
  }
  const makeRoles = (server: DedicatedServer, database: string) => {
    const settings = settingsOn(server, 'postgres', database);
    return outputOf(start(program('psql'), ['--quiet', '--file=ops/roles.sql'], settings));
  };
  function pasting(name: string, server: DedicatedServer) {
    rehearsed.add(name);
    const script = (blocks.get(name) ?? 'exit 1')
      .replaceAll('db.example', '127.0.0.1')
      .replaceAll('PGHOST=old.example', `PGHOST=127.0.0.1 PGPORT=${old.address('').port}`)
      .replace(/^SINCE=.*/m, `SINCE=${since}`);
    return start('sh', ['-ec', script], { PGPORT: `${server.address('').port}` }, folder.path);
  }
  const paste = (name: string, server: DedicatedServer) => outputOf(pasting(name, server));

  /** What the tables have, and who may do what in the schema. */
  async function everything(server: DedicatedServer, database: string) {
    const sql = (text: string) => query(server.address('postgres', database), text);
    const tables = await sql(`
      select relname as name from pg_class where relnamespace = 'campaign_mirror'::regnamespace and relkind = 'r'
        and relname <> 'migrations' order by 1`);
    const found: Record<string, unknown> = {};
    for (const { name } of tables)
      found[name] = await sql(
        `select to_jsonb(t) - 'transaction_id' as row from campaign_mirror.${name} t
          where coalesce(to_jsonb(t)->>'act', '') <> 'schema-migrated' order by 1`,
      );
    // 17 and later have one right more, `m`, which the owner has.
    const rights = await sql(`
      select relname as name, relowner::regrole::text as owner, relacl::text as rights from pg_class
        where relnamespace = 'campaign_mirror'::regnamespace and relkind in ('r', 'v', 'S')
      union all select proname, proowner::regrole::text, proacl::text from pg_proc
        where pronamespace = 'campaign_mirror'::regnamespace
      union all select tgname, tgrelid::regclass::text, tgenabled::text from pg_trigger where not tgisinternal
      order by 1, 2, 3`);
    const sorted = rights.map((one) => ({
      ...one,
      rights: one.rights?.replace('xtm/', 'xt/').split(/[{,}]/).sort(),
    }));
    return { found, rights: sorted };
  }

  let CAMPAIGN_MIRROR_KEY = '';
  let revoked = '';
  let since = '';
  let expected: unknown;
  before(async () => {
    old = await dedicatedServer({ folder: '/usr/lib/postgresql/15' });
    anew = await dedicatedServer();
    for (const name of ['campaign-mirror', 'ops']) await symlink(`${projectFolder}${name}`, folder.at(name));
    program('pg_dump');
    await query(old.address('postgres'), 'create database mirrors');
    await makeRoles(old, 'mirrors');
    await run(old, 'owner', 'mirrors', 'migrate');
    await run(old, 'operator', 'mirrors', 'campaign create --owner 42 --name Summer');
    await run(old, 'operator', 'mirrors', 'mirror create 1 --target-url https://first.example/?{id}');
    [{ key: CAMPAIGN_MIRROR_KEY }] = await run(old, 'operator', 'mirrors', 'key issue --owner 42 --name k');
    await run(old, 'operator', 'mirrors', 'mirror set 1 https://second.example/', { CAMPAIGN_MIRROR_KEY });
    [{ key: revoked }] = await run(old, 'operator', 'mirrors', 'key issue --owner 42 --name leaked');
    await paste('dump', old);
    expected = await everything(old, 'mirrors');
    await run(old, 'operator', 'mirrors', 'key issue --owner 42 --name later');
    await run(old, 'operator', 'mirrors', 'key revoke 2 3');
  });

  /** The key is valid, numbers go on, and what is done is recorded. */
  async function works(server: DedicatedServer, database: string) {
    const set = 'mirror set 1 https://third.example/';
    await run(server, 'operator', database, set, { CAMPAIGN_MIRROR_KEY });
    const changes = await run(server, 'operator', database, 'mirror history 1');
    expect(changes.map(({ id, subject }) => [id, subject])).to.deep.equal([
      [2, 'key:1'],
      [1, 'key:1'],
    ]);
    expect(await run(server, 'operator', database, 'campaign create --owner 43')).to.deep.equal([{ id: 2 }]);
    const [{ act }] = await run(server, 'operator', database, 'audit');
    expect(act).to.equal('campaign-created');
    const found = await run(server, 'service', database, 'doctor');
    expect(found.filter(({ state }) => state === 'problem')).to.deep.equal([]);
  }

  for (const [version, server] of [
    ['15', () => old],
    ['18', () => anew],
  ] as const) {
    it(`to ${version}: data and rights are as they were, and what follows is recorded; again it changes nothing`, async () => {
      await paste('database', server());
      await paste('restore', server());
      const { code, output, errors } = await pasting('migrate', server()).done();
      expect([code, output].join()).to.match(/^0,The roles were given their rights\.\n(ok|warning) /);
      const [, newest = ''] =
        /from a dump .* its newest entry of the audit from (\S+); .* says what to check\n$/.exec(errors) ??
        [];
      since = newest;
      expect(await everything(server(), 'restored')).to.deep.equal(expected);
      expect((await pasting('restore', server()).done()).errors).to.match(
        /schema "campaign_mirror" already exists/,
      );
      expect(await everything(server(), 'restored')).to.deep.equal(expected);
      const settings = 'select unnest(setconfig) as one from pg_db_role_setting where setrole = 0 order by 1';
      expect(await query(server().address('postgres', 'restored'), settings)).to.include.deep.members([
        { one: 'log_error_verbosity=terse' },
        { one: 'log_parameter_max_length=0' },
      ]);
      await works(server(), 'restored');
    });

    it(`to ${version}: a key that was revoked after the dump does not work after the steps; where the old database is gone, none does`, async () => {
      const refused = async (key: string) => {
        const settings = { ...settingsOn(server(), 'operator', 'restored'), CAMPAIGN_MIRROR_KEY: key };
        const { code } = await commandProcess(['mirror', 'set', '1', 'https://evil.example/'], settings);
        return code === 1;
      };
      const keys = () => run(server(), 'operator', 'restored', 'key list');
      expect((await keys()).map(({ revoked_at }) => revoked_at)).to.deep.equal([null, null]);
      const { code, output, errors } = await pasting('compare', server()).done();
      expect([code, errors].join()).to.match(/^1,there is no key 3: /);
      expect(output)
        .to.match(/key-revoked/)
        .and.include('Key 2 is revoked.');
      expect([await refused(revoked), await refused(CAMPAIGN_MIRROR_KEY)]).to.deep.equal([true, false]);
      await paste('revoke-all', server());
      expect(await refused(CAMPAIGN_MIRROR_KEY)).to.equal(true);
    });
  }

  it('every block was run', () => {
    expect([...rehearsed]).to.have.members([...blocks.keys()]);
  });
});
