import { expect } from 'chai';
import pg from 'pg';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { documented, PgBouncer } from '../support/deployment/pgbouncer.ts';
import { call } from '../support/http/caller.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { endAll, listeningService, startService } from '../support/process/service-process.ts';

describe('PgBouncer in transaction mode, as docs/how-to/own-postgresql.md has it', () => {
  const data = serviceDataOf('suite', { campaigns: 4 });
  const folder = folderOf('suite');
  let empty: TestDatabase;
  let pooler: PgBouncer;
  before(async () => {
    empty = await emptyDatabase('owner');
  });
  beforeEach(async () => {
    pooler = await PgBouncer.start([data.database, empty]);
  });
  afterEach(async () => {
    await endAll();
    await pooler.remove();
  });
  after(() => empty.drop());

  const service = () => ({ ...pooler.settings(data.database, 'service'), RUN_MIGRATIONS: 'false' });
  const run = async (args: string[], database = data.database, role: 'operator' | 'owner' = 'operator') => {
    const { code, output, errors } = await command([...args, '--json'], pooler.settings(database, role));
    expect(code, `${args.join(' ')}: ${errors}`).to.equal(0);
    return objectsOf(output);
  };

  it('the service starts with one setting, is ready, and carries calls at once', async () => {
    const running = await listeningService({ ...service(), POOL_SIZE: '8' });
    expect((await fetch(`${running.ops}/readyz`)).status).to.equal(200);
    for (let round = 0; round < 5; round++) {
      const updates = data.updates(running.base);
      const answers = await Promise.all([...updates, ...updates, ...updates].map((one) => call(one)));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    }
    expect((await call(data.one(running, { key: `${data.key.slice(0, -1)}!` }))).status).to.equal(401);
    expect((await running.process.stop()).code).to.equal(0);
    const told = running.process.log.filter(({ level }) => Number(level) > 30);
    expect(told, 'nothing to warn of').to.deep.equal([]);
  });

  it('so do the commands, those that read and write all there is included', async () => {
    const [{ id }] = await run(['campaign', 'create', '--owner', '42']);
    const campaign = String(id);
    await run(['mirror', 'create', campaign, '--target-url', 'https://first.example/']);
    const [{ id: key, key: secret }] = await run(['key', 'issue', '--owner', '42', '--name', 'script']);
    const set = await command(['mirror', 'set', campaign, 'https://second.example/'], {
      ...pooler.settings(data.database, 'operator'),
      CAMPAIGN_MIRROR_KEY: secret,
    });
    expect(set).to.include({ code: 0, errors: '' });
    expect(await run(['mirror', 'history', campaign])).to.have.length(1);
    const [change] = await run(['mirror', 'history', '--key', String(key)]);
    expect(change).to.include({ campaign_id: id, address_after: 'https://second.example/' });
    await run(['mirror', 'restore', campaign, '--undo', String(change.id)]);
    await run([
      'mirror',
      'move',
      '--from-host',
      'first.example',
      '--to-host',
      'third.example',
      '--owner',
      '42',
    ]);
    const [{ mirror }] = await run(['mirror', 'show', campaign]);
    expect(mirror.target_url).to.equal('https://third.example/');
    await run(['key', 'rotate', String(key)]);
    await run(['key', 'revoke', String(key)]);
    await run(['campaign', 'transfer', campaign, '--to', '43']);
    await run(['history', 'prune', '--older-than', '400d', '--yes']);
    expect(await run(['audit', '--campaign', campaign])).to.have.length.above(2);
    const found = await run(['doctor']);
    expect(found.filter(({ state }) => state === 'problem')).to.deep.equal([]);

    const [csv, backup] = [folder.at('all.csv'), folder.at('all.backup')];
    const [{ campaigns }] = await run(['export', csv]);
    await run(['backup', backup]);
    await run(['migrate'], empty, 'owner');
    const [restored] = await run(['restore', backup], empty, 'owner');
    expect(restored.campaigns).to.equal(campaigns);
    for (const { id } of await run(['campaign', 'list'], empty)) {
      await run(['campaign', 'delete', String(id), '--yes'], empty);
    }
    expect(await run(['import', csv], empty)).to.deep.equal([{ campaigns, mirrors: campaigns }]);
  });

  it('without the setting, the start and the commands say what the pooler said, and what to do', async () => {
    const { DATABASE_URL } = service();
    const said =
      /^the pooler of the database 127\.0\.0\.1:\d+\/\w+ refuses the connection \(08P01: unsupported startup parameter: statement_timeout\): nothing was done; set DATABASE_POOLER=transaction, or connect to the server itself\n$/;
    const listed = await command(['campaign', 'list'], { DATABASE_URL });
    expect(listed).to.include({ code: 3, output: '' });
    expect(listed.errors).to.match(said);

    const starting = startService({ DATABASE_URL, RUN_MIGRATIONS: 'false' });
    expect((await starting.ended).code).to.equal(1);
    expect(starting.errors).to.match(said);
  });

  it('the role’s limit takes the place of STATEMENT_TIMEOUT', async () => {
    const inDatabase = { 'in database mirrors': `in database ${data.database.name}` };
    await data.database.admin.query(await documented('sql', inDatabase));
    const client = new pg.Client({ connectionString: pooler.url(data.database, 'service') });
    await client.connect();
    const { rows } = await client.query('show statement_timeout');
    await client.end();
    expect(rows).to.deep.equal([{ statement_timeout: '5s' }]);
  });
});
