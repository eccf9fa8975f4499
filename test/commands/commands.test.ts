import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { answered, command, commandProcess, refused } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { call } from '../support/http/caller.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { listeningService, projectFolder } from '../support/process/service-process.ts';

describe('commands, on a database of your own', () => {
  const database = databaseOf('suite');
  const { run, object } = commandsOn(database);

  it('campaign, mirror and key together make a call that answers 200, while the service runs', async () => {
    const settings = { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' };
    const { base } = await listeningService(settings);
    const { id } = await object('campaign', 'create', '--owner', '7', '--name', 'Summer');
    await object('mirror', 'create', `${id}`, '--target-url', 'https://example.com/');
    const { id: keyId, key } = await object('key', 'issue', '--owner', '7', '--name', 'script');
    const one = { base, campaign: id, key, address: 'https://example.com/new' };
    expect((await call(one)).status).to.equal(200);
    expect(await object('key', 'revoke', `${keyId}`)).to.deep.equal({ id: keyId, revoked: true });
    expect((await call(one)).status, 'a revoked key is refused at once').to.equal(401);
  });

  it('what is misunderstood: exit code 2, and nothing is done', async () => {
    const misunderstood: [what: RegExp, ...args: string[]][] = [
      [/unknown command/, 'campaigns'],
      [/--owner <n>' not specified/, 'campaign', 'create'],
      [/whole number .* is expected\./, 'campaign', 'create', '--owner', '0'],
      [/whole number .* is expected\./, 'mirror', 'create', '01', '--target-url', 'https://example.com'],
      [/is expected\./, 'key', 'issue', '--owner', '1', '--name', 'x', '--expires-in', '90'],
      [/name on one line.* is expected\./, 'key', 'issue', '--owner', '1', '--name', 'x\ny'],
      [/unknown option/, 'demo', 'remove', '--now'],
      [/whole number .* is expected\./, 'campaign', 'list', '--limit', '0'],
      [/whole number .* is expected\./, 'mirror', 'list', '--after', '-1'],
      [/whole number .* is expected\./, 'audit', '--before', '1.5'],
      [/too many arguments/, 'audit', '42'],
      ...['never', '24', '-1h', '36526d'].map((grace): [RegExp, ...string[]] => [
        /A time such as 0s, 30m, 24h or 7d, at most 36525d, is expected\./,
        ...['key', 'rotate', '1', `--grace=${grace}`],
      ]),
      ...['23h', '1', '0d', '-1d', 'never', '36526d', '400 d'].map((age): [RegExp, ...string[]] => [
        /An age such as 400d or 48h, from 1d to 36525d, is expected\./,
        ...['history', 'prune', '--yes', `--older-than=${age}`],
      ]),
    ];
    for (const [what, ...args] of misunderstood) {
      const { code, output, errors } = await run(...args);
      expect({ code, output }, args.join(' ')).to.deep.equal({ code: 2, output: '' });
      expect(errors)
        .to.match(/^error: /)
        .and.to.match(what)
        .and.not.to.match(/^\s+at /m);
    }
  });

  it('a database that is away, refuses, or was never migrated: one clear line', async () => {
    const on = (DATABASE_URL: string, ...words: string[]) =>
      command(words.length > 0 ? words : ['demo', 'remove'], { DATABASE_URL, DATABASE_WAIT: '0s' });
    const away = await on('postgres://me:MARKED@127.0.0.1:9/x');
    expect(away.code).to.equal(3);
    expect(away.errors).to.match(/^the database 127\.0\.0\.1:9\/x cannot be reached .*\n$/);
    expect((await on(database.url('redirector'))).errors).to.match(
      /^the user "campaign_mirror_redirector" of .* lacks a right: use the operator's, or run `\.\/campaign-mirror migrate` as the owner of the schema, which gives that one its rights; `\.\/campaign-mirror doctor` says which is missing\n$/,
    );
    const empty = await emptyDatabase('owner');
    expect((await on(empty.url('owner'))).errors).to.match(
      /is not set up for this version \(.*\): run `\.\/campaign-mirror migrate` as the owner of the schema\n$/,
    );
    expect(await on(empty.url('owner'), 'migrate')).to.deep.equal(answered('The schema is up to date.\n'));
    expect((await on(empty.url('operator'))).code).to.equal(0);
  });

  it('MIRROR_HOST_DENYLIST holds for the operator, too', async () => {
    const { id } = await object('campaign', 'create', '--owner', '10');
    const words = ['mirror', 'create', `${id}`, '--target-url', 'https://go.example.com./'];
    const settings = { DATABASE_URL: database.url('operator'), MIRROR_HOST_DENYLIST: '*.example.com' };
    expect(await command(words, settings)).to.deep.equal(
      refused('--target-url: MIRROR_HOST_DENYLIST denies its host\n'),
    );
  });
});

describe('commands on the embedded database', () => {
  const folder = dataFolderOf('test', "a folder, it's ours");

  it('bring it up where it is down and stop it after them; use a running one, and leave it running', async () => {
    const settings = { DATA_DIR: folder.path };
    const create = () => command(['campaign', 'create', '--owner', '1', '--json'], settings);
    expect(await create()).to.deep.equal(answered('{"id":1}\n'));
    expect(await processesOf(folder.path)).to.deep.equal([]);
    const service = await listeningService(settings);
    expect(await create(), 'what was done is kept').to.deep.equal(answered('{"id":2}\n'));
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
