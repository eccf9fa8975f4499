import { chmod, writeFile } from 'node:fs/promises';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { configuration, named } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, folderOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService, start, startService } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { read } from '../support/workspace.ts';

const page = 'docs/how-to/own-postgresql.md';
const block = named(await read(page), 'shown: test/deployment/pooler.test.ts runs it').get('');

describe(`service and commands work behind PgBouncer in transaction mode, set up by ${page}`, () => {
  const data = serviceDataOf('suite', { campaigns: 4 });
  const empty = databaseOf('suite', emptyDatabase);
  const folder = folderOf('suite');
  let port: number;
  before(async () => {
    // Before the first connection: the setting holds for connections of the server that begin after it.
    await data.database.admin.query(
      String(block).replace('in database mirrors', `in database ${data.database.name}`),
    );
    port = await freePort();
    await chmod(folder.path, 0o755);
    const users = folder.at('userlist.txt');
    const lines = Object.keys(roles).map((role) => {
      const { user, password } = data.database.address(role as Role);
      return `"${user}" "${password}"\n`;
    });
    await writeFile(users, lines.join(''));
    const servers = [data.database, empty].map((one) => {
      const { host, port } = one.address('service');
      return `${one.name} = host=${host} port=${port}`;
    });
    const ini = folder.at('pgbouncer.ini');
    const text = await configuration('ops/pgbouncer.ini', {
      'mirrors = host=db.example port=5432': servers.join('\n'),
      'listen_port = 6432': `listen_port = ${port}\nunix_socket_dir =`,
      '/etc/pgbouncer/userlist.txt': users,
    });
    await writeFile(ini, text);
    // PgBouncer refuses to run as root.
    await start(program('pgbouncer'), ['-u', 'nobody', ini], {}).shows('process up');
  });

  const url = (role: Role, database = data.database) => database.url(role, { host: '127.0.0.1', port });
  const DATABASE_POOLER = 'transaction';
  const run = async (words: string, database = data.database, role: Role = 'operator', more = {}) => {
    const settings = { DATABASE_URL: url(role, database), DATABASE_POOLER, ...more };
    const { code, output, errors } = await command([...words.split(' '), '--json'], settings);
    expect(code, `${words}: ${errors}`).to.equal(0);
    return objectsOf(output);
  };

  it('with one setting the service starts without a warning, is ready, and answers concurrent calls', async () => {
    const settings = {
      DATABASE_URL: url('service'),
      DATABASE_POOLER,
      RUN_MIGRATIONS: 'false',
      POOL_SIZE: '8',
    };
    const running = await listeningService(settings);
    expect((await fetch(`${running.ops}/readyz`)).status).to.equal(200);
    for (let round = 0; round < 5; round++) {
      const updates = data.updates(running.base);
      const answers = await Promise.all([...updates, ...updates, ...updates].map((one) => call(one)));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    }
    expect((await call(data.one(running, { key: `${data.key.slice(0, -1)}!` }))).status).to.equal(401);
    expect((await running.process.stop()).code).to.equal(0);
    // A busy machine may start PgBouncer's connections late.
    const warnings = running.process.log.filter(
      ({ level, event }) => Number(level) > 30 && event !== 'database-awaited',
    );
    expect(warnings).to.deep.equal([]);
  });

  it('the commands work, also those that read or write everything', async () => {
    const [{ id }] = await run('campaign create --owner 42');
    await run(`mirror create ${id} --target-url https://first.example/`);
    const [{ id: key, key: secret }] = await run('key issue --owner 42 --name script');
    const set = `mirror set ${id} https://second.example/`;
    await run(set, data.database, 'operator', { CAMPAIGN_MIRROR_KEY: secret });
    const [change] = await run(`mirror history --key ${key}`);
    await run(`mirror restore ${id} --undo ${change.id}`);
    await run('mirror move --from-host first.example --to-host third.example --owner 42 --yes');
    const [{ mirror }] = await run(`campaign show ${id}`);
    expect(mirror.target_url).to.equal('https://third.example/');
    for (const words of [`key revoke ${key}`, 'history prune --older-than 400d --yes']) await run(words);
    const csv = folder.at('all.csv');
    const [{ campaigns }] = await run(`export ${csv}`);
    await run('migrate', empty, 'owner');
    expect(await run(`import ${csv}`, empty)).to.deep.equal([{ campaigns, mirrors: campaigns }]);
  });

  it('without the setting, the service and the commands say what to set', async () => {
    const settings = { DATABASE_URL: url('service'), RUN_MIGRATIONS: 'false' };
    const message = /unsupported startup parameter: .* set DATABASE_POOLER=transaction, or .*\n$/;
    const listed = await command(['campaign', 'list'], settings);
    expect(listed).to.include({ code: 3, output: '' });
    expect(listed.errors).to.match(message);
    const starting = startService(settings);
    expect((await starting.ended).code).to.equal(1);
    expect(starting.errors).to.match(message);
  });
});
