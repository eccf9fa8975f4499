import { userInfo } from 'node:os';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('audit: every act of an operator is recorded with its operator, a refused act is not', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);

  it('an entry has the operator, the campaign, the owner and details; options select entries', async () => {
    const target_url = 'https://example.com/?a={b}';
    await on.session(`
      $ SUDO_USER=alice campaign create --owner 7 --name Summer --default
      Campaign 1 was created for owner 7.
      $ SUDO_USER=alice campaign unset-default 1
      Campaign 1 is an ordinary one now.
      $ SUDO_USER=dora campaign unset-default 1
      Campaign 1 is an ordinary one already: nothing was done.
      $ SUDO_USER=alice mirror create 1 --target-url ${target_url}
      The mirror of campaign 1 was created.
      $ SUDO_USER=dora mirror create 1 --target-url https://b.example/
      ! campaign 1 has a mirror already: \`./campaign-mirror mirror set 1 URL --as-operator\` gives it…
      $ SUDO_USER=bob campaign transfer 1 --to 8
      Campaign 1 belongs to owner 8 now; before, to owner 7.
      $ SUDO_USER=bob campaign set-default 1
      Campaign 1 is its owner's default one now.`);
    await database.admin.query('update campaign_mirror.mirrors set clicks = 1');
    await on.run('key issue --owner 9 --name mine');
    await on.session(`
      $ SUDO_USER=carol campaign delete 1 --yes
      Campaign 1 "Summer" was deleted; its history stays.`);

    // Only root may name the user behind sudo.
    const who = (behind: string) => (process.getuid?.() === 0 ? behind : userInfo().username);
    const name = 'Summer';
    const entries = (await on.objects('audit')).toReversed();
    const [{ expires_at }] = await on.objects('key list');
    const seen = entries.map((one) => [one.act, one.operator, one.campaign_id, one.owner_id, one.details]);
    expect(seen).to.deep.equal([
      ['campaign-created', who('alice'), 1, 7, { default: true, name }],
      ['default-unset', who('alice'), 1, 7, { name }],
      ['mirror-created', who('alice'), 1, 7, { target_url }],
      ['campaign-transferred', who('bob'), 1, 8, { owner_id_before: 7, default: false, name }],
      ['default-set', who('bob'), 1, 8, { name }],
      ['key-issued', userInfo().username, null, 9, { name: 'mine', expires_at }],
      ['campaign-deleted', who('carol'), 1, 8, { default: true, name, target_url, clicks: 1 }],
    ]);
    for (const entry of entries) {
      expect(entry.database_role).to.equal('campaign_mirror_operator');
      expect(entry.acted_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(entry.request_id).to.match(/^operator-[0-9a-f-]{36}$/);
    }
    expect(await on.objects('audit --act default-set')).to.deep.equal([entries[4]]);
    const since = await on.objects(`audit 1 --since ${entries[3].acted_at} --before 7`);
    expect(since.map(({ id }) => id)).to.deep.equal([5, 4]);
    await on.session(`
      $ audit 2 --act key-issued --since 2096-11-20
      ! No entry was found.
      [0]`);
    expect((await on.run('audit --act key-stolen')).code).to.equal(2);
    expect((await on.run('audit')).output).to.match(
      /^ *4 {2}\S+Z .* campaign-transferred +1 +8 +- (?=.*owner_id_before: 7).*name: "Summer"/m,
    );
  });
});
