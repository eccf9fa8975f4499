import { chmod, writeFile } from 'node:fs/promises';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import pg from 'pg';
import { StatementRunner } from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { configuration, documented } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, folderOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService, start, startService } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { everyCaseOn } from '../support/store/judged-store.ts';
import { postgresWorld, type World } from '../support/store/postgres-world.ts';

const page = 'docs/how-to/own-postgresql.md';

describe(`PgBouncer in transaction mode, as ${page} has it`, () => {
  const data = serviceDataOf('suite', { campaigns: 4 });
  const empty = databaseOf('suite', () => emptyDatabase('owner'));
  const folder = folderOf('suite');
  let pooler: Awaited<ReturnType<typeof pgBouncer>>;
  before(async () => {
    // Before anybody connects: it is for connections of the server that begin after it.
    await data.database.admin.query(
      await documented(page, 'sql', { 'in database mirrors': `in database ${data.database.name}` }),
    );
    pooler = await pgBouncer(folder.path, [data.database, empty]);
  });

  const DATABASE_POOLER = 'transaction';
  const run = async (words: string, database = data.database, role: Role = 'operator', more = {}) => {
    const settings = { DATABASE_URL: pooler.url(database, role), DATABASE_POOLER, ...more };
    const { code, output, errors } = await command([...words.split(' '), '--json'], settings);
    expect(code, `${words}: ${errors}`).to.equal(0);
    return objectsOf(output);
  };

  it('the service starts with one setting, is ready, and carries calls at once', async () => {
    const DATABASE_URL = pooler.url(data.database, 'service');
    const settings = { DATABASE_URL, DATABASE_POOLER, RUN_MIGRATIONS: 'false', POOL_SIZE: '8' };
    const running = await listeningService(settings);
    expect((await fetch(`${running.ops}/readyz`)).status).to.equal(200);
    for (let round = 0; round < 5; round++) {
      const updates = data.updates(running.base);
      const answers = await Promise.all([...updates, ...updates, ...updates].map((one) => call(one)));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    }
    expect((await call(data.one(running, { key: `${data.key.slice(0, -1)}!` }))).status).to.equal(401);
    expect((await running.process.stop()).code).to.equal(0);
    // A busy machine may answer the start late.
    const told = running.process.log.filter(
      ({ level, event }) => Number(level) > 30 && event !== 'database-awaited',
    );
    expect(told, 'nothing to warn of').to.deep.equal([]);
  });

  it('so do the commands, those that read and write all there is included', async () => {
    const [{ id }] = await run('campaign create --owner 42');
    await run(`mirror create ${id} --target-url https://first.example/`);
    const [{ id: key, key: secret }] = await run('key issue --owner 42 --name script');
    await run(`mirror set ${id} https://second.example/`, data.database, 'operator', {
      CAMPAIGN_MIRROR_KEY: secret,
    });
    expect(await run(`mirror history ${id}`)).to.have.length(1);
    const [change] = await run(`mirror history --key ${key}`);
    expect(change).to.include({ campaign_id: id, address_after: 'https://second.example/' });
    await run(`mirror restore ${id} --undo ${change.id}`);
    await run('mirror move --from-host first.example --to-host third.example --owner 42 --yes');
    const [{ mirror }] = await run(`campaign show ${id}`);
    expect(mirror.target_url).to.equal('https://third.example/');
    const others = [`key rotate ${key}`, `key revoke ${key}`, `campaign transfer ${id} --to 43`];
    for (const words of [...others, 'history prune --older-than 400d --yes']) await run(words);
    expect(await run(`audit ${id}`)).to.have.length.above(2);
    const found = await run('doctor');
    expect(found.filter(({ state }) => state === 'problem')).to.deep.equal([]);

    const csv = folder.at('all.csv');
    const [{ campaigns }] = await run(`export ${csv}`);
    await run('migrate', empty, 'owner');
    expect(await run(`import ${csv}`, empty)).to.deep.equal([{ campaigns, mirrors: campaigns }]);
  });

  it('without the setting, the start and the commands say what the pooler said, and what to do', async () => {
    const settings = { DATABASE_URL: pooler.url(data.database, 'service'), RUN_MIGRATIONS: 'false' };
    const said =
      /^the database 127\.0\.0\.1:\d+\/\w+, user "\w+": unsupported startup parameter: statement_timeout \(08P01\): set DATABASE_POOLER=transaction, or connect to the server itself\n$/;
    const listed = await command(['campaign', 'list'], settings);
    expect(listed).to.include({ code: 3, output: '' });
    expect(listed.errors).to.match(said);
    const starting = startService(settings);
    expect((await starting.ended).code).to.equal(1);
    expect(starting.errors).to.match(said);
  });

  it('in statement mode, the commands say what to set', async () => {
    const other = await pgBouncer(folder.path, [data.database], 'statement');
    const settings = { DATABASE_URL: other.url(data.database, 'operator'), DATABASE_POOLER };
    const made = await command(['campaign', 'create', '--owner', '42'], settings);
    expect(made).to.include({ code: 1, output: '' });
    expect(made.errors).to.match(
      /: .* statement pooling .*\(08P01\): set pool_mode = transaction in the pooler\n$/,
    );
  });

  it('the role’s limit takes the place of STATEMENT_TIMEOUT; doctor warns where the role has none', async () => {
    const client = new pg.Client({ connectionString: pooler.url(data.database, 'service') });
    await client.connect();
    const { rows } = await client.query('show statement_timeout');
    await client.end();
    expect(rows).to.deep.equal([{ statement_timeout: '5s' }]);
    const saidOf = async (role: Role) => {
      const found = await run('doctor', data.database, role);
      return found.filter(
        ({ check, finding }) => check === 'parameters' && /^statement_timeout/.test(finding),
      );
    };
    expect(await saidOf('service')).to.deep.equal([]);
    const [{ state, advice }] = await saidOf('operator');
    expect(state).to.equal('warning');
    expect(advice).to.match(/^alter role campaign_mirror_operator\w* set statement_timeout = '5000'$/);
  });
});

describe('the contracts of the ports, behind PgBouncer in transaction mode', () => {
  let world: World;
  after(() => world?.close());
  const database = databaseOf('suite');
  const folder = folderOf('suite');
  before(async () => {
    const pooler = await pgBouncer(folder.path, [database]);
    const address = { value: (role: Role) => pooler.address(database, role) };
    const statementsOn = (pool: pg.Pool) => new StatementRunner(pool, { prepared: false });
    const pooled = Object.create(database, { address });
    world = await postgresWorld(pooled, { besideAChain: true, statementsOn });
  });
  everyCaseOn(() => world);
});

/** Debian's PgBouncer, as the document configures it, before databases of the tests. */
async function pgBouncer(folder: string, databases: readonly TestDatabase[], mode = 'transaction') {
  const port = await freePort();
  await chmod(folder, 0o755);
  const users = `${folder}/userlist.txt`;
  const lines = Object.keys(roles).map((role) => {
    const { user, password } = databases[0]?.address(role as Role) ?? {};
    return `"${user}" "${password}"\n`;
  });
  await writeFile(users, lines.join(''));
  const servers = databases.map((one) => {
    const { host, port } = one.address('service');
    return `${one.name} = host=${host} port=${port}`;
  });
  const ini = `${folder}/pgbouncer.ini`;
  const text = await configuration('ops/pgbouncer.ini', {
    'mirrors = host=db.example port=5432': servers.join('\n'),
    'listen_port = 6432': `listen_port = ${port}\nunix_socket_dir =`,
    '/etc/pgbouncer/userlist.txt': users,
    'pool_mode = transaction': `pool_mode = ${mode}`,
  });
  await writeFile(ini, text);
  // It refuses to run as root.
  const running = start(program('pgbouncer'), ['-u', 'nobody', ini], {});
  await running.says(() => running.errors.includes('process up') || undefined);
  return {
    url: (database: TestDatabase, role: Role) => database.url(role, { host: '127.0.0.1', port }),
    /** For the ports: as the service has it with the setting that a pooler needs. */
    address: (database: TestDatabase, role: Role): ReturnType<TestDatabase['address']> => ({
      ...database.address(role),
      ...{ host: '127.0.0.1', port, pooled: true },
    }),
  };
}
