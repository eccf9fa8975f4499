import { userInfo } from 'node:os';
import { expect } from 'chai';
import { answered, command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('the command audit', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);

  it('who did what, to which campaign, of which owner, and what else there is to know', async () => {
    // `sudo` runs as root, who alone may say who called.
    const who = (behind: string) => (process.getuid?.() === 0 ? behind : userInfo().username);
    const done = async (operator: string, code: number, ...args: string[]) =>
      expect((await command(args, { ...on.settings, SUDO_USER: operator })).code, args.join(' ')).to.equal(
        code,
      );
    await done('alice', 0, 'campaign', 'create', '--owner', '7', '--name', 'Summer', '--default');
    await done('alice', 0, 'campaign', 'unset-default', '1');
    await done('alice', 0, 'mirror', 'create', '1', '--target-url', 'https://example.com/?a={b}');
    await database.admin.query('update campaign_mirror.mirrors set clicks = 1');
    for (const _ of ['done', 'not needed']) {
      await done('bob', 0, 'campaign', 'transfer', '1', '--to', '8');
      await done('bob', 0, 'campaign', 'set-default', '1');
    }
    await done('bob', 1, 'campaign', 'create', '--owner', '8', '--default');
    await done('bob', 1, 'campaign', 'set-default', '2');
    await done('bob', 1, 'mirror', 'create', '1', '--target-url', 'https://example.com/');
    await done('carol', 0, 'campaign', 'delete', '1', '--yes');
    await done('carol', 0, 'key', 'issue', '--owner', '9', '--name', 'mine');
    await done('carol', 0, 'key', 'revoke', '1');

    const [name, target_url] = ['Summer', 'https://example.com/?a={b}'];
    const entries = await on.objects('audit');
    const seen = entries.map((one) => [one.act, one.operator, one.campaign_id, one.owner_id, one.details]);
    expect(seen).to.deep.equal([
      ['key-revoked', who('carol'), null, 9, {}],
      ['key-issued', who('carol'), null, 9, { name: 'mine' }],
      ['campaign-deleted', who('carol'), 1, 8, { default: true, name, target_url, clicks: 1 }],
      ['default-set', who('bob'), 1, 8, { name }],
      ['campaign-transferred', who('bob'), 1, 8, { owner_id_before: 7, default: false, name }],
      ['mirror-created', who('alice'), 1, 7, { target_url }],
      ['default-unset', who('alice'), 1, 7, { name }],
      ['campaign-created', who('alice'), 1, 7, { default: true, name }],
    ]);
    for (const [at, entry] of entries.entries()) {
      expect(entry).to.include({ id: 8 - at, database_role: 'campaign_mirror_operator' });
      expect(entry.access_key_id).to.equal(at < 2 ? 1 : null);
      expect(entry.acted_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(entry.request_id).to.match(/^operator-[0-9a-f-]{36}$/);
    }
    expect(new Set(entries.map(({ request_id }) => request_id)).size).to.equal(entries.length);

    const { output, errors } = await on.run('audit');
    expect(errors).to.equal('');
    const lines = output.split('\n');
    expect(lines[0]).to.match(/^entry +when +operator +database role +act +campaign +owner +key +details$/);
    expect(lines[5]).to.match(
      /^ {4}4 {2}\S+Z {2}\S+ +campaign_mirror_operator +campaign-transferred +1 +8 +- .*owner id before: 7/,
    );
    expect(lines[5]).to.include('name: "Summer"');
  });

  it('a name behind sudo is taken where root runs the command, and where it is one', async () => {
    const { getuid } = process;
    const own = userInfo().username;
    try {
      for (const [uid, behind, operator] of [
        [0, 'alice', 'alice'],
        [0, 'a\nb', own],
        [1000, 'alice', own],
      ] as const) {
        process.getuid = () => uid;
        await command(['campaign', 'create', '--owner', '7'], { ...on.settings, SUDO_USER: behind });
        expect((await on.objects('audit'))[0].operator, `${uid} ${behind}`).to.equal(operator);
      }
    } finally {
      Object.assign(process, { getuid });
    }
  });

  it('by pages: the newest 50, and how to see more', async () => {
    await database.admin.query(
      `insert into campaign_mirror.operator_audit (act, operator, request_id, campaign_id)
       select 'default-set', 'tests', 'request', 1 + id % 2 from generate_series(1, 60) id`,
    );
    const more = (before: number) => `There is more: add --before ${before} to see it.\n`;
    const pages: [words: string, from: number, to: number, count: number, errors: string][] = [
      ['', 60, 11, 50, more(11)],
      ['--before 11', 10, 1, 10, ''],
      ['--limit 10 --before 11', 10, 1, 10, ''],
      ['--campaign 2 --limit 2', 59, 57, 2, more(57)],
      ['--campaign 2 --limit 30', 59, 1, 30, ''],
    ];
    for (const [words, from, to, count, told] of pages) {
      const { output, errors } = await on.run('audit', '--json', ...words.split(' ').filter(Boolean));
      const ids = [...output.matchAll(/^\{"id":(\d+),/gm)].map(([, id]) => Number(id));
      expect([ids[0], ids.at(-1), ids.length, errors], words).to.deep.equal([from, to, count, told]);
    }
    expect(await on.run('audit', '--campaign', '3')).to.deep.equal(answered('', 'There is no such entry.\n'));
  });
});
