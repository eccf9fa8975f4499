import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { command, commandProcess } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { type Listening, listeningService, projectFolder } from '../support/process/service-process.ts';

describe('commands, while the service runs', () => {
  const database = databaseOf('suite');
  const { run, object: json } = commandsOn(database);
  let service: Listening;
  before(async () => {
    service = await listeningService({ DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' });
  });

  it('campaign, mirror and key together make a call that answers 200', async () => {
    const { id } = await json('campaign', 'create', '--owner', '7', '--name', 'Summer');
    const address = 'https://example.com/?a={click_id}&b=[x]|ü';
    const { mirror } = await json('mirror', 'create', String(id), '--target-url', address);
    expect(mirror).to.include({ campaign_id: id, target_url: address, clicks: 0, updated_externally: false });
    expect(mirror.updated_externally_at).to.equal(null);
    const key = await json('key', 'issue', '--owner', '7', '--name', 'script', '--expires-in', '90d');
    expect(key).to.have.all.keys('id', 'key');
    const one = { base: service.base, campaign: id, key: key.key, address: 'https://example.com/new' };
    expect((await call(one)).status).to.equal(200);

    expect(await json('key', 'revoke', String(key.id))).to.deep.equal({ id: key.id, revoked: true });
    expect((await call(one)).status, 'a revoked key is refused at once').to.equal(401);
  });

  it('without --json they speak to people, and a key alone is on standard output', async () => {
    const { output } = await run('campaign', 'create', '--owner', '8');
    expect(output).to.match(/^Campaign \d+ was created for the owner 8\.\n$/);
    const issued = await run('key', 'issue', '--owner', '8', '--name', 'mine');
    expect(issued.output).to.match(/^cm_[0-9A-Za-z]{49}\n$/);
    expect(issued.errors).to.match(/cannot be shown again/);
  });

  it('a mirror is created once, of a campaign that exists, under the address rule of the interface', async () => {
    const { id } = await json('campaign', 'create', '--owner', '10');
    const create = (campaign: string, url: string) => run('mirror', 'create', campaign, '--target-url', url);
    expect((await create(String(id), 'ftp://example.com')).errors).to.match(
      /^--target-url: it must be a URL such as/,
    );
    expect((await create('999999', 'https://example.com')).errors).to.equal('there is no campaign 999999\n');
    expect((await create(String(id), 'https://example.com')).code).to.equal(0);
    const again = await create(String(id), 'https://example.com');
    expect(again).to.include({ code: 1, errors: `the campaign ${id} has a mirror already\n` });
    const denied = await command(
      ['mirror', 'create', String(id), '--target-url', 'https://go.example.com./'],
      {
        DATABASE_URL: database.url('operator'),
        MIRROR_HOST_DENYLIST: '*.example.com',
      },
    );
    expect(denied).to.include({ code: 1, errors: '--target-url: MIRROR_HOST_DENYLIST denies its host\n' });
  });

  it('an expired key is refused', async () => {
    const { id } = await json('campaign', 'create', '--owner', '11');
    const { key } = await json('key', 'issue', '--owner', '11', '--name', 'short', '--expires-in', '1s');
    const one = { base: service.base, campaign: id, key, address: 'https://example.com/' };
    const { status } = await call(one);
    expect(status, 'it may have been refused for want of a mirror, or for its age').to.be.oneOf([403, 401]);
    await eventually('the end of the key', async () => expect((await call(one)).status).to.equal(401));
  });

  const misunderstood: [why: string, ...args: string[]][] = [
    ['no such command', 'campaigns'],
    ['an option is missing', 'campaign', 'create'],
    ['an owner that is no identifier', 'campaign', 'create', '--owner', '0'],
    ['a campaign that is no identifier', 'mirror', 'create', '01', '--target-url', 'https://example.com'],
    ['a life that is none', 'key', 'issue', '--owner', '1', '--name', 'x', '--expires-in', '90'],
    ['a name over two lines', 'key', 'issue', '--owner', '1', '--name', 'x\ny'],
    ['an option that there is not', 'demo', 'remove', '--now'],
    ['a list of none', 'campaign', 'list', '--limit', '0'],
    ['a list from what is no identifier', 'mirror', 'list', '--after', '-1'],
    ['an entry that is no identifier', 'audit', '--before', '1.5'],
    ['an argument that there is not', 'audit', '42'],
  ];
  for (const [why, ...args] of misunderstood) {
    it(`${why}: exit code 2, and nothing is done`, async () => {
      const { code, output, errors } = await run(...args);
      expect({ code, output }).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(/^error: /);
      if (/identifier|none$/.test(why)) expect(errors).to.match(/ is expected\.$/m);
      expect(errors).not.to.match(/^\s+at /m);
    });
  }

  it('a key that is not there', async () => {
    expect(await run('key', 'revoke', '999999')).to.include({ code: 1, errors: 'there is no key 999999\n' });
  });

  it('a database that is away, refuses, or was never migrated: one clear line', async () => {
    const away = await command(['demo', 'remove'], {
      DATABASE_URL: 'postgres://me:MARKED@127.0.0.1:9/x',
      DATABASE_WAIT: '0s',
    });
    expect(away.code).to.equal(3);
    expect(away.errors).to.match(/^the database 127\.0\.0\.1:9\/x cannot be reached .*\n$/);
    const redirector = await command(['demo', 'remove'], { DATABASE_URL: database.url('redirector') });
    expect(redirector.errors).to.match(
      /^the user "campaign_mirror_redirector" of .* lacks a right: use the operator's, or run `\.\/campaign-mirror migrate` as the owner of the schema, which gives that one its rights; `\.\/campaign-mirror doctor` says which is missing\n$/,
    );
    const empty = await emptyDatabase('owner');
    const early = await command(['demo', 'remove'], { DATABASE_URL: empty.url('owner') });
    expect(early.errors).to.match(
      /is not set up for this version \(.*\): run `\.\/campaign-mirror migrate` as the owner of the schema\n$/,
    );
    expect((await command(['migrate'], { DATABASE_URL: empty.url('owner') })).output).to.equal(
      'The schema is up to date.\n',
    );
    expect((await command(['demo', 'remove'], { DATABASE_URL: empty.url('operator') })).code).to.equal(0);
  });
});

describe('commands on the embedded database', () => {
  const folder = dataFolderOf('test', "a folder, it's ours");

  it('bring it up where it is down, stop it after them, and keep what they did', async () => {
    const settings = { DATA_DIR: folder.path };
    const first = await command(['campaign', 'create', '--owner', '1', '--json'], settings);
    expect(first, first.errors).to.include({ code: 0, output: '{"id":1}\n' });
    expect(await processesOf(folder.path)).to.deep.equal([]);
    const mirror = ['mirror', 'create', '1', '--target-url', 'https://example.com/'];
    expect((await command(mirror, settings)).code).to.equal(0);
  });

  it('use the running one, and leave it running', async () => {
    const settings = { DATA_DIR: folder.path };
    const service = await listeningService(settings);
    const made = await command(['campaign', 'create', '--owner', '1', '--json'], settings);
    expect(made.code, made.errors).to.equal(0);
    expect((await fetch(`${service.ops}/readyz`)).status).to.equal(200);
    expect((await service.process.stop()).code).to.equal(0);
  });

  it('are called from any folder, also by a symbolic link', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'campaign mirror '));
    await symlink(`${projectFolder}campaign-mirror`, join(elsewhere, 'one'));
    await symlink('one', join(elsewhere, 'two'));
    const how = { launcher: join(elsewhere, 'two'), cwd: elsewhere };
    const { code, errors } = await commandProcess(['--help'], { DATA_DIR: folder.path }, how);
    await rm(elsewhere, { recursive: true });
    expect(code, errors).to.equal(0);
  });
});
