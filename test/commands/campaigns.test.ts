import { expect } from 'chai';
import { answered, refused } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';
import type { Terminal } from '../support/process/terminal.ts';

describe('the command campaign', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const sql = (text: string, ...values: unknown[]) => database.admin.query(text, values);

  const created = async (owner: number, ...more: string[]): Promise<number> =>
    (await on.object('campaign', 'create', '--owner', `${owner}`, ...more)).id;
  const audited = async (): Promise<number> => (await on.objects('audit', '--limit', '1000')).length;

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
    expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(await on.run('campaign', 'show', id)).to.deep.equal(
      answered(
        `campaign  ${id}\nowner     1\ndefault   yes\nname      Summer\ncreated   ${created_at}\n` +
          `mirror    ${address}\nclicks    0\n`,
      ),
    );
  });

  it('transfer, set-default, unset-default: what programs are told', async () => {
    const id = await created(2);
    const moved = { id, owner_id: 3, owner_id_before: 2, changed: true };
    expect(await on.object(`campaign transfer ${id} --to 3`)).to.deep.equal(moved);
    const flagged = { id, owner_id: 3, is_default: true, changed: true };
    expect(await on.object(`campaign set-default ${id}`)).to.deep.equal(flagged);
    const again = { ...flagged, changed: false };
    expect(await on.object(`campaign set-default ${id}`)).to.deep.equal(again);
    const still = { ...moved, owner_id_before: 3, changed: false };
    expect(await on.object(`campaign transfer ${id} --to 3`)).to.deep.equal(still);
  });

  it("an owner's second default campaign is refused with the first, whichever way, also of many that race", async () => {
    const own = [await created(5), await created(5)];
    const theirs = [await created(6, '--default'), await created(7, '--default')];
    const before = await audited();
    const lines = [
      ...own.map((id) => `campaign set-default ${id}`),
      ...theirs.map((id) => `campaign transfer ${id} --to 5`),
      'campaign create --owner 5 --default',
      'campaign create --owner 5 --default',
    ];
    const race = () => Promise.all(lines.map((line) => on.run(line)));
    const raced = (await race()).filter(({ code }) => code !== 0);
    expect(raced).to.have.length(lines.length - 1);
    const first = (await on.objects('campaign', 'list', '--owner', '5')).find((one) => one.is_default);
    const refusal = (name: string) =>
      refused(
        `the owner 5 has a default campaign already: campaign ${first.id}${name}; ` +
          `\`./campaign-mirror campaign unset-default ${first.id}\` makes it an ordinary one\n`,
      );
    for (const done of raced) expect(done).to.deep.equal(refusal(''));
    await sql('update campaign_mirror.campaigns set name = $2 where id = $1', first.id, 'First \u{1f389}');
    const late = (await race()).filter(({ code }) => code !== 0);
    for (const done of late) expect(done).to.deep.equal(refusal(' "First \u{1f389}"'));
    expect(late.length, 'but for that of the first, which is not needed').to.be.at.least(lines.length - 1);
    expect((await audited()) - before, 'entries of the audit').to.equal(1);
  });

  it('a mirror is created once, of a campaign that exists, under the address rule of the interface', async () => {
    const id = `${await created(8)}`;
    const create = (campaign: string, url: string) =>
      on.run('mirror', 'create', campaign, '--target-url', url);
    expect((await create(id, 'ftp://example.com')).errors).to.match(/^--target-url: it must begin with http/);
    const race = await Promise.all([1, 2, 3, 4].map(() => create(id, 'https://example.com')));
    const [made, ...others] = race.toSorted((one, other) => one.code - other.code);
    expect(made).to.deep.equal(answered(`The mirror of campaign ${id} was created.\n`));
    for (const done of others)
      expect(done).to.deep.equal(refused(`the campaign ${id} has a mirror already\n`));
  });

  it('a campaign that there is not', async () => {
    const mirrors = ['mirror show', 'mirror create --target-url https://a.example'];
    const acts = ['show', 'transfer --to 1', 'set-default', 'delete'].map((act) => `campaign ${act}`);
    for (const line of [...acts, ...mirrors])
      await on.session(`$ ${line} 999999\n! there is no campaign 999999`);
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
      const { rows } = await sql(
        'select (select count(*)::int from campaign_mirror.campaigns where id = $1) as campaigns, (select count(*)::int from campaign_mirror.mirrors where campaign_id = $1) as mirrors',
        id,
      );
      return rows[0];
    };
    const question = () =>
      `Delete the campaign ${id} "Summer" of the owner 1, and its mirror (https://example.com/, clicked 12 times)? Its history stays.`;
    const asked = async () => {
      const terminal = on.inTerminal('campaign', 'delete', `${id}`);
      await terminal.shows(question());
      return terminal;
    };

    it('asks first, telling all that goes; yes deletes it, as it is by then, and its history stays', async () => {
      await sql(
        `insert into campaign_mirror.mirror_history
          (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
        values ($1, 1, 'operator', 1, 'a', 'b', now(), 'r')`,
        id,
      );
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
      const [noted] = await on.objects('audit', '--campaign', `${id}`);
      expect(noted).to.have.nested.property('details.clicks', 13);
    });

    const nothing = 'Nothing was done.';
    const leaving: [what: string, code: number, says: string, act: (terminal: Terminal) => unknown][] = [
      ['no', 1, nothing, (terminal) => terminal.type('n\r')],
      ['nothing', 1, nothing, (terminal) => terminal.type('\r')],
      ['Ctrl-C', 130, nothing, (terminal) => terminal.interrupt()],
      ['a SIGTERM', 143, nothing, async (terminal) => process.kill(await terminal.processId(), 'SIGTERM')],
    ];
    const changes = {
      'another owner': 'update campaign_mirror.campaigns set owner_id = 91 where id = $1',
      'another name': "update campaign_mirror.campaigns set name = 'Winter' where id = $1",
      'the default flag':
        'update campaign_mirror.campaigns set is_default = true, owner_id = 1 where id = $1',
      'another address':
        "update campaign_mirror.mirrors set target_url = 'https://x.example/' where campaign_id = $1",
    };
    for (const [what, change] of Object.entries(changes))
      leaving.push([
        `yes, but for ${what} meanwhile,`,
        1,
        'changed meanwhile: nothing was deleted; look at it again with',
        async (terminal) => {
          await sql('update campaign_mirror.campaigns set is_default = false');
          await sql(change, id);
          terminal.type('y\r');
        },
      ]);
    for (const [what, code, says, act] of leaving) {
      it(`${what} at the question leaves it, with exit code ${code}`, async () => {
        const terminal = await asked();
        await act(terminal);
        expect((await terminal.ended).code, terminal.screen).to.equal(code);
        expect(terminal.screen)
          .to.include(says)
          .and.not.to.match(/^\s+at /m);
        expect(await left()).to.deep.equal({ campaigns: 1, mirrors: 1 });
      });
    }

    it('without a terminal nothing is done, with exit code 2, unless it is told --yes', async () => {
      const { code, output, errors } = await on.run('campaign', 'delete', `${id}`);
      expect({ code, output }).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.include(question()).and.to.include('--yes');
      expect(await left()).to.deep.equal({ campaigns: 1, mirrors: 1 });
      const done = await on.object('campaign', 'delete', `${id}`, '--yes');
      expect(done).to.deep.equal({ id, deleted: true, clicks: 12 });
      expect(await left()).to.deep.equal({ campaigns: 0, mirrors: 0 });
    });

    it('a default campaign, and one without a mirror, are asked for as what they are', async () => {
      const bare = await created(92, '--default');
      expect((await on.run('campaign', 'delete', `${bare}`)).errors).to.include(
        `Delete the default campaign ${bare} of the owner 92, which has no mirror? Its history stays.`,
      );
    });
  });
});
