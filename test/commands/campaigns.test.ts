import { expect } from 'chai';
import { answered, refused } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('the command campaign', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const sql = (text: string, ...values: unknown[]) => database.admin.query(text, values);

  const created = async (owner: number, ...more: string[]): Promise<number> =>
    (await on.object('campaign', 'create', '--owner', `${owner}`, ...more)).id;

  it('create and show: all there is to know, for people and for programs', async () => {
    const made = await on.run('campaign', 'create', '--owner', '1', '--name', 'Summer', '--default');
    const [, id = ''] = /^Campaign (\d+) was created for the owner 1\.\n$/.exec(made.output) ?? [];
    const address = 'HTTPS://B\u00dcCHER.example/{id}?a=?&b=$1&c=[x]|%7e&d=\'"\u{1f389}';
    const { mirror } = await on.object('mirror', 'create', id, '--target-url', address);
    const { id: _, created_at: since, updated_at, ...fields } = mirror;
    const untouched = { clicks: 0, updated_externally: false, updated_externally_at: null };
    expect(fields).to.deep.equal({ campaign_id: Number(id), target_url: address, ...untouched });
    expect(updated_at).to.equal(since);
    const { created_at, ...shown } = await on.object('campaign', 'show', id);
    expect(shown).to.deep.equal({ id: Number(id), owner_id: 1, is_default: true, name: 'Summer', mirror });
    const texts = {
      ...{ id, name: 'Summer', owner_id: 1, is_default: 'yes', created_at, mirror_id: mirror.id },
      ...{ target_url: address, clicks: 0, updated_externally: 'no', updated_externally_at: '-' },
      ...{ mirror_created_at: since, mirror_updated_at: since },
    };
    const lines = Object.entries(texts).map(([name, value]) => `${name.padEnd(21)}  ${value}\n`);
    expect(await on.run('campaign', 'show', id)).to.deep.equal(answered(lines.join('')));
  });

  it('transfer, set-default, unset-default: what programs are told', async () => {
    const id = await created(2);
    await on.session(`
      $ campaign transfer ${id} --to 3 --json
      {"id":${id},"owner_id":3,"owner_id_before":2,"changed":true}
      ! The owner 3 had no campaign so far: check the number.
      $ campaign set-default ${id} --json
      {"id":${id},"owner_id":3,"is_default":true,"changed":true}
      $ campaign set-default ${id} --json
      {"id":${id},"owner_id":3,"is_default":true,"changed":false}`);
  });

  it("an owner's second default campaign is refused with the first, whichever way", async () => {
    const first = await created(5, '--default');
    const refusal =
      `the owner 5 has a default campaign already: campaign ${first}; ` +
      `\`./campaign-mirror campaign unset-default ${first}\` makes it an ordinary one\n`;
    for (const act of [
      `set-default ${await created(5)}`,
      `transfer ${await created(6, '--default')} --to 5`,
      'create --owner 5 --default',
    ])
      expect(await on.run(`campaign ${act}`), act).to.deep.equal(refused(refusal));
  });

  it('a campaign that there is not', async () => {
    const acts = ['show', 'transfer --to 1', 'set-default', 'delete'].map((act) => `campaign ${act}`);
    for (const line of [...acts, 'mirror create --target-url https://a.example'])
      await on.session(
        `$ ${line} 999999\n! there is no campaign 999999: \`./campaign-mirror campaign list\` shows those that exist`,
      );
  });

  describe('delete', () => {
    /** The campaign that is to go, of the owner 1. */
    let id: number;
    beforeEach(async () => {
      id = await created(1, '--name', 'Summer');
      await sql(
        "insert into campaign_mirror.mirrors (campaign_id, target_url, clicks) values ($1, 'https://example.com/', 12)",
        id,
      );
    });
    const left = async () => {
      const campaigns = await sql('select from campaign_mirror.campaigns where id = $1', id);
      const mirrors = await sql('select from campaign_mirror.mirrors where campaign_id = $1', id);
      return { campaigns: campaigns.rowCount, mirrors: mirrors.rowCount };
    };
    const question = () =>
      `Delete the campaign ${id} "Summer" of the owner 1, and its mirror (https://example.com/, clicked 12 times)? Its history stays.`;
    const asked = async () => {
      const asking = on.asking(`campaign delete ${id}`);
      await asking.shows(question());
      return asking;
    };

    it('asks first, telling all that goes; yes deletes it, as it is by then, and its history stays', async () => {
      await on.run(`mirror set ${id} https://example.com/ --as-operator`);
      const terminal = await asked();
      await sql('update campaign_mirror.mirrors set clicks = 13 where campaign_id = $1', id);
      expect(await left()).to.deep.equal({ campaigns: 1, mirrors: 1 });
      terminal.type('y\r');
      expect((await terminal.ended).code, terminal.screen).to.equal(0);
      expect(terminal.screen).to.include(
        `The campaign ${id} "Summer" and its mirror were deleted; the history stays.`,
      );
      expect(await left()).to.deep.equal({ campaigns: 0, mirrors: 0 });
      expect(await on.objects('mirror', 'history', `${id}`)).to.have.length(1);
      const [noted] = await on.objects('audit', `${id}`);
      expect(noted).to.have.nested.property('details.clicks', 13);
    });

    it('yes leaves it, too, where it was changed since it was shown', async () => {
      const terminal = await asked();
      await sql("update campaign_mirror.campaigns set name = 'Winter' where id = $1", id);
      terminal.type('y\r');
      expect((await terminal.ended).code).to.equal(1);
      expect(terminal.screen).to.include('changed meanwhile: nothing was deleted; look at it again with');
      expect(await left()).to.deep.equal({ campaigns: 1, mirrors: 1 });
    });

    it('without a terminal nothing is done, with exit code 2, unless it is told --yes', async () => {
      await on.session(`
        $ campaign delete ${id}
        ! ${question()} There is no terminal to ask on: add --yes to confirm.
        [2]`);
      expect(await left()).to.deep.equal({ campaigns: 1, mirrors: 1 });
      const done = await on.object('campaign', 'delete', `${id}`, '--yes');
      expect(done).to.deep.equal({ id, deleted: true, clicks: 12 });
      expect(await left()).to.deep.equal({ campaigns: 0, mirrors: 0 });
    });

    it('of the mirror alone: the campaign stays, and the history goes on where a mirror is created again', async () => {
      await on.run(`mirror set ${id} https://last.example/ --as-operator`);
      await on.session(`
        $ mirror delete ${id}
        ! Delete the mirror (https://last.example/, clicked 12 times) of the campaign ${id} "Summer" of the owner 1? Its history stays. There is no terminal to ask on: add --yes to confirm.
        [2]
        $ mirror delete ${id} --yes
        The mirror of the campaign ${id} "Summer" was deleted; its history stays.
        $ mirror delete ${id} --yes
        ! the campaign ${id} has no mirror: \`./campaign-mirror mirror create ${id} --target-url URL\` creates it
        $ mirror show ${id}
        ! the campaign ${id} has no mirror: \`./campaign-mirror mirror create ${id} --target-url URL\` creates it`);
      expect(await left()).to.deep.equal({ campaigns: 1, mirrors: 0 });
      expect((await on.objects(`audit ${id}`))[0]).to.deep.include({
        act: 'mirror-deleted',
        campaign_id: id,
      });
      await on.run(`mirror create ${id} --target-url https://next.example/`);
      const [change] = await on.objects(`mirror history ${id}`);
      expect(change).to.include({
        address_before: 'https://last.example/',
        address_after: 'https://next.example/',
      });
    });
  });
});
