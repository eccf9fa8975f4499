import { symlink } from 'node:fs/promises';
import { expect } from 'chai';
import { commandProcess } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { query } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { named } from '../support/documents/blocks.ts';
import { folderOf } from '../support/process/lives.ts';
import { outputOf, projectFolder, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { read } from '../support/workspace.ts';

const page = 'docs/how-to/backup-and-restore.md';
const blocks = named(await read(page), 'rehearsed: ');

/** From Debian's PostgreSQL 15, the oldest that is supported, to the embedded 18, the newest. */
describe(`a backup by ${page} is restored with its data and rights, and without the keys revoked since`, () => {
  let old: DedicatedServer;
  let anew: DedicatedServer;
  after(async () => {
    await old?.remove();
    await anew?.remove();
  });
  const folder = folderOf('suite');
  const rehearsed = new Set<string>();

  const settingsOn = (server: DedicatedServer, role: string) => ({
    ...{ PGHOST: '127.0.0.1', PGPORT: `${server.address('').port}`, PGDATABASE: databaseOn(server) },
    PGUSER: role === 'postgres' ? role : `campaign_mirror_${role}`,
  });
  const databaseOn = (server: DedicatedServer) => (server === old ? 'mirrors' : 'restored');
  async function run(server: DedicatedServer, role: string, words: string, more = {}) {
    const settings = { ...settingsOn(server, role), ...more };
    const { code, output, errors } = await commandProcess([...words.split(' '), '--json'], settings).done();
    expect(code, `${words}: ${errors}`).to.equal(0);
    return objectsOf(output);
  }
  function pasting(name: string, server: DedicatedServer) {
    rehearsed.add(name);
    const script = (blocks.get(name) ?? 'exit 1')
      .replaceAll('db.example', '127.0.0.1')
      .replaceAll('PGHOST=old.example', `PGHOST=127.0.0.1 PGPORT=${old.address('').port}`)
      .replace(/^SINCE=.*/m, `SINCE=${since}`);
    return start('sh', ['-ec', script], { PGPORT: `${server.address('').port}` }, folder.path);
  }
  const paste = (name: string, server: DedicatedServer) => outputOf(pasting(name, server));

  /** The rows of all tables, and the rights on everything in the schema. */
  async function everything(server: DedicatedServer) {
    const sql = (text: string) => query(server.address('postgres', databaseOn(server)), text);
    const tables = await sql(`
      select relname as name from pg_class where relnamespace = 'campaign_mirror'::regnamespace and relkind = 'r'
        and relname <> 'migrations' order by 1`);
    const rows: Record<string, unknown> = {};
    for (const { name } of tables)
      rows[name] = await sql(
        `select to_jsonb(t) - 'transaction_id' as row from campaign_mirror.${name} t
          where coalesce(to_jsonb(t)->>'act', '') <> 'schema-migrated' order by 1`,
      );
    const rights = await sql(`
      select relname as name, relowner::regrole::text as owner, relacl::text as rights from pg_class
        where relnamespace = 'campaign_mirror'::regnamespace and relkind in ('r', 'v', 'S')
      union all select proname, proowner::regrole::text, proacl::text from pg_proc
        where pronamespace = 'campaign_mirror'::regnamespace
      union all select tgname, tgrelid::regclass::text, tgenabled::text from pg_trigger where not tgisinternal
      order by 1, 2, 3`);
    // From 17 on, an owner also has the right `m`.
    const sorted = rights.map((one) => ({
      ...one,
      rights: one.rights?.replace('xtm/', 'xt/').split(/[{,}]/).sort(),
    }));
    return { rows, rights: sorted };
  }

  let CAMPAIGN_MIRROR_KEY = '';
  let revoked = '';
  let since = '';
  let expected: unknown;
  before(async () => {
    old = await dedicatedServer({ folder: '/usr/lib/postgresql/15' });
    anew = await dedicatedServer();
    for (const name of ['campaign-mirror', 'ops']) await symlink(`${projectFolder}${name}`, folder.at(name));
    await query(old.address('postgres'), 'create database mirrors');
    const words = ['--quiet', '--file=ops/roles.sql'];
    await outputOf(start(program('psql'), words, settingsOn(old, 'postgres')));
    await run(old, 'owner', 'migrate');
    await run(old, 'operator', 'campaign create --owner 42 --name Summer');
    await run(old, 'operator', 'mirror create 1 --target-url https://first.example/?{id}');
    [{ key: CAMPAIGN_MIRROR_KEY }] = await run(old, 'operator', 'key issue --owner 42 --name k');
    await run(old, 'operator', 'mirror set 1 https://second.example/', { CAMPAIGN_MIRROR_KEY });
    [{ key: revoked }] = await run(old, 'operator', 'key issue --owner 42 --name leaked');
    await paste('dump', old);
    expected = await everything(old);
    await run(old, 'operator', 'key issue --owner 42 --name later');
    await run(old, 'operator', 'key revoke 2 3');
  });

  it('data and rights are the same, and a second restore changes nothing', async () => {
    await paste('database', anew);
    await paste('restore', anew);
    const { code, output, errors } = await pasting('migrate', anew).done();
    expect(code, output + errors).to.equal(0);
    [, since = ''] = /newest entry of the audit from (\S+);/.exec(errors) ?? [];
    expect(await everything(anew)).to.deep.equal(expected);
    expect((await pasting('restore', anew).done()).errors).to.match(
      /schema "campaign_mirror" already exists/,
    );
    expect(await everything(anew)).to.deep.equal(expected);
    const settings = 'select unnest(setconfig) as one from pg_db_role_setting where setrole = 0 order by 1';
    expect(await query(anew.address('postgres', 'restored'), settings)).to.include.deep.members([
      { one: 'log_error_verbosity=terse' },
      { one: 'log_parameter_max_length=0' },
    ]);
  });

  it('the restored database works: the key is valid, numbers go on, history and audit grow', async () => {
    await run(anew, 'operator', 'mirror set 1 https://third.example/', { CAMPAIGN_MIRROR_KEY });
    const changes = await run(anew, 'operator', 'mirror history 1');
    expect(changes.map(({ id, subject }) => [id, subject])).to.deep.equal([
      [2, 'key:1'],
      [1, 'key:1'],
    ]);
    expect(await run(anew, 'operator', 'campaign create --owner 43')).to.deep.equal([{ id: 2 }]);
    const [{ act }] = await run(anew, 'operator', 'audit');
    expect(act).to.equal('campaign-created');
    const found = await run(anew, 'service', 'doctor');
    expect(found.filter(({ state }) => state === 'problem')).to.deep.equal([]);
  });

  it('the steps revoke the keys that were revoked after the dump, or all keys without the old database', async () => {
    const isRefused = async (key: string) => {
      const settings = { ...settingsOn(anew, 'operator'), CAMPAIGN_MIRROR_KEY: key };
      const { code } = await commandProcess(['mirror', 'set', '1', 'https://evil.example/'], settings).done();
      return code === 1;
    };
    const { code, output, errors } = await pasting('compare', anew).done();
    expect([code, errors].join()).to.match(/^1,there is no key 3: /);
    expect(output)
      .to.match(/key-revoked/)
      .and.include('Key 2 is revoked.');
    expect([await isRefused(revoked), await isRefused(CAMPAIGN_MIRROR_KEY)]).to.deep.equal([true, false]);
    await paste('revoke-all', anew);
    expect(await isRefused(CAMPAIGN_MIRROR_KEY)).to.equal(true);
    expect([...rehearsed], 'every block was run').to.have.members([...blocks.keys()]);
  });
});
