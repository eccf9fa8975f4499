import { userInfo } from 'node:os';
import { expect } from 'chai';
import { answered, command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

/** `sudo` runs as root, who alone may say who called. */
function who(behind: string): string {
  return process.getuid?.() === 0 ? behind : userInfo().username;
}

describe('the command audit', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);

  it('who did what, to which campaign, of which owner, and what else there is to know', async () => {
    const as = (operator: string, ...args: string[]) =>
      command(args, { ...on.settings, SUDO_USER: operator });
    expect((await as('alice', 'campaign', 'create', '--owner', '7', '--name', 'Summer')).code).to.equal(0);
    expect((await as('bob', 'campaign', 'transfer', '1', '--to', '8')).code).to.equal(0);
    expect((await as('bob', 'campaign', 'transfer', '1', '--to', '8')).code, 'nothing to do').to.equal(0);
    expect((await as('bob', 'campaign', 'set-default', '2')).code, 'refused').to.equal(1);
    expect((await as('carol', 'campaign', 'delete', '1', '--yes')).code).to.equal(0);

    const entries = await on.objects('audit');
    const about = { campaign_id: 1, access_key_id: null, database_role: 'campaign_mirror_operator' };
    const details = { name: 'Summer', default: false };
    expect(entries.map(({ acted_at, request_id, ...entry }) => entry)).to.deep.equal([
      { id: 3, act: 'campaign-deleted', operator: who('carol'), ...about, owner_id: 8, details },
      {
        id: 2,
        act: 'campaign-transferred',
        operator: who('bob'),
        ...about,
        owner_id: 8,
        details: { ...details, owner_id_before: 7 },
      },
      { id: 1, act: 'campaign-created', operator: who('alice'), ...about, owner_id: 7, details },
    ]);
    for (const { acted_at, request_id } of entries) {
      expect(acted_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(request_id).to.match(/^operator-[0-9a-f-]{36}$/);
    }
    expect(new Set(entries.map(({ request_id }) => request_id)).size).to.equal(3);

    const { output, errors } = await on.run('audit');
    expect(errors).to.equal('');
    const [head, ...rows] = output.split('\n');
    expect(head).to.match(/^entry +when +operator +database role +act +campaign +owner +key +details$/);
    expect(rows[1]).to.match(
      /^ {4}2 {2}\S+Z {2}\S+ +campaign_mirror_operator +campaign-transferred +1 +8 +- .*owner id before: 7/,
    );
    expect(rows[1]).to.include('name: "Summer"');
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
        expect(await on.objects('audit'), `${uid} ${behind}`).to.have.nested.property(
          '[0].operator',
          operator,
        );
      }
    } finally {
      Object.assign(process, { getuid });
    }
  });

  it('a key: whose it was', async () => {
    const { id } = await on.object('key', 'issue', '--owner', '9', '--name', 'mine');
    await on.run('key', 'revoke', String(id));
    const [revoked] = await on.objects('audit');
    expect(revoked).to.include({ act: 'key-revoked', access_key_id: id, owner_id: 9 });
  });

  it('by pages: the newest 50, and how to see more', async () => {
    await database.admin.query(
      `insert into campaign_mirror.operator_audit (act, operator, request_id, campaign_id)
       select 'default-set', 'tests', 'request', 1 + id % 2 from generate_series(1, 60) id`,
    );
    const seen = async (...args: string[]) => {
      const { code, output, errors } = await on.run('audit', '--json', ...args);
      expect(code).to.equal(0);
      const ids = output
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id as number);
      return { from: ids[0], to: ids.at(-1), count: ids.length, errors };
    };
    const more = (before: number) => `There is more: add --before ${before} to see it.\n`;
    expect(await seen()).to.deep.equal({ from: 60, to: 11, count: 50, errors: more(11) });
    expect(await seen('--before', '11')).to.deep.equal({ from: 10, to: 1, count: 10, errors: '' });
    expect(await seen('--limit', '10', '--before', '11')).to.include({ to: 1, errors: '' });
    expect(await seen('--campaign', '2', '--limit', '2')).to.deep.equal({
      from: 59,
      to: 57,
      count: 2,
      errors: more(57),
    });
    expect(await seen('--campaign', '2', '--limit', '30')).to.include({ count: 30, errors: '' });
    expect(await on.run('audit', '--campaign', '3')).to.deep.equal(answered('', 'There is no such entry.\n'));
  });
});
