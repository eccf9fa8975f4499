import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('campaign and mirror: an operator creates, transfers and deletes campaigns and mirrors', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const sql = (text: string, ...values: unknown[]) => database.admin.query(text, values);

  const created = async (owner: number, ...more: string[]): Promise<number> =>
    (await on.object('campaign', 'create', '--owner', `${owner}`, ...more)).id;

  it('create stores the address as given, and show prints every field', async () => {
    const id = await created(1, '--name', 'Summer', '--default');
    const address = 'HTTPS://B\u00dcCHER.example/{id}?a=?&b=$1&c=[x]|%7e&d=\'"\u{1f389}';
    const { mirror } = await on.object('mirror', 'create', `${id}`, '--target-url', address);
    const { id: _, created_at: since, updated_at, ...fields } = mirror;
    const untouched = { clicks: 0, updated_externally: false, updated_externally_at: null };
    expect(fields).to.deep.equal({ campaign_id: id, target_url: address, ...untouched });
    expect(updated_at).to.equal(since);
    const { created_at: __, ...shown } = await on.object(`campaign show ${id}`);
    expect(shown).to.deep.equal({ id, owner_id: 1, is_default: true, name: 'Summer', mirror });
    const { output } = await on.run(`campaign show ${id}`);
    expect(output)
      .to.match(/^updated_externally_at +-$/m)
      .and.include(address);
  });

  describe('delete', () => {
    let id: number;
    beforeEach(async () => {
      id = await created(1, '--name', 'Summer');
      const columns = '(campaign_id, target_url, clicks)';
      await sql(`insert into campaign_mirror.mirrors ${columns} values ($1, 'https://example.com/', 12)`, id);
    });
    const exists = async () => (await on.objects(`campaign list --after ${id - 1}`)).length === 1;

    it('asks, deletes the campaign and its mirror, and keeps the history', async () => {
      await on.run(`mirror set ${id} https://example.com/ --as-operator`);
      const question = `Delete campaign ${id} "Summer" of owner 1, and its mirror (https://example.com/, clicked 12 times)? Its history stays.`;
      await on.session(`
        $ campaign delete ${id}
        ! ${question} There is no terminal to ask on: add --yes to confirm.
        [2]`);
      const terminal = on.asking(`campaign delete ${id}`);
      await terminal.shows(question);
      await sql('update campaign_mirror.mirrors set clicks = 13 where campaign_id = $1', id);
      expect(await exists()).to.equal(true);
      terminal.type('y\r');
      expect((await terminal.ended).code, terminal.screen).to.equal(0);
      expect(await exists()).to.equal(false);
      expect(await on.objects(`mirror history ${id}`)).to.have.length(1);
      const [entry] = await on.objects(`audit ${id}`);
      expect(entry).to.have.nested.property('details.clicks', 13);
    });

    it('deletes the mirror alone, and keeps its history', async () => {
      await on.run(`mirror set ${id} https://last.example/ --as-operator`);
      await on.session(`
        $ mirror delete ${id} --yes
        The mirror of campaign ${id} "Summer" was deleted; its history stays.
        $ mirror show ${id}
        ! campaign ${id} has no mirror: \`./campaign-mirror mirror create ${id} --target-url URL\` creates it`);
      expect(await exists()).to.equal(true);
      expect((await on.objects(`audit ${id}`))[0]).to.include({ act: 'mirror-deleted', campaign_id: id });
      expect(await on.objects(`mirror history ${id}`)).to.have.length(1);
    });
  });
});
