import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';
import type { Terminal } from '../support/process/terminal.ts';

describe('the command campaign delete', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  /** The campaign that is to go, of the owner 1. */
  let id: number;
  beforeEach(async () => {
    const { rows } = await database.admin.query(
      "insert into campaign_mirror.campaigns (owner_id, name) values (1, 'Summer') returning id::int",
    );
    id = rows[0].id;
    await database.admin.query(
      "insert into campaign_mirror.mirrors (campaign_id, target_url, clicks) values ($1, 'https://example.com/', 12)",
      [id],
    );
  });

  const isThere = async () => {
    const { rowCount } = await database.admin.query(
      'select from campaign_mirror.campaigns join campaign_mirror.mirrors on campaign_id = campaigns.id where campaigns.id = $1',
      [id],
    );
    return rowCount === 1;
  };
  const question = () =>
    `Delete the campaign ${id} "Summer" of the owner 1, and its mirror (https://example.com/, clicked 12 times)? Its history stays.`;
  const asked = async () => {
    const terminal = on.inTerminal('campaign', 'delete', `${id}`);
    await terminal.shows(question());
    return terminal;
  };

  it('asks first, telling all that goes; yes deletes it', async () => {
    const terminal = await asked();
    expect(await isThere()).to.equal(true);
    terminal.type('y\r');
    expect((await terminal.ended).code, terminal.screen).to.equal(0);
    expect(terminal.screen).to.include(
      `The campaign ${id} "Summer" and its mirror were deleted; the history stays.`,
    );
    expect(await isThere()).to.equal(false);
  });

  const leaving: [what: string, code: number, act: (terminal: Terminal) => unknown][] = [
    ['no', 1, (terminal) => terminal.type('n\r')],
    ['nothing', 1, (terminal) => terminal.type('\r')],
    ['Ctrl-C', 130, (terminal) => terminal.interrupt()],
    ['a SIGTERM', 143, async (terminal) => process.kill(await terminal.processId(), 'SIGTERM')],
  ];
  for (const [what, code, act] of leaving) {
    it(`${what} at the question leaves it, with exit code ${code}`, async () => {
      const terminal = await asked();
      await act(terminal);
      expect((await terminal.ended).code, terminal.screen).to.equal(code);
      expect(terminal.screen)
        .to.include('Nothing was done.')
        .and.not.to.match(/^\s+at /m);
      expect(await isThere()).to.equal(true);
    });
  }

  it('what changed between the question and the answer is not deleted', async () => {
    const terminal = await asked();
    await database.admin.query('update campaign_mirror.campaigns set owner_id = 2 where id = $1', [id]);
    terminal.type('y\r');
    expect((await terminal.ended).code, terminal.screen).to.equal(1);
    expect(terminal.screen).to.include(
      `campaign ${id} changed meanwhile: nothing was deleted; look at it again with`,
    );
    expect(await isThere()).to.equal(true);
  });

  it('without a terminal nothing is done, with exit code 2, unless it is told --yes', async () => {
    const { code, output, errors } = await on.run('campaign', 'delete', `${id}`);
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).to.include(question()).and.to.include('--yes');
    expect(await isThere()).to.equal(true);
    const done = await on.object('campaign', 'delete', `${id}`, '--yes');
    expect(done).to.deep.equal({ id, deleted: true, clicks: 12 });
    expect(await isThere()).to.equal(false);
  });

  it('a default campaign, and one without a mirror, are asked for as what they are', async () => {
    await database.admin.query('delete from campaign_mirror.mirrors where campaign_id = $1', [id]);
    await database.admin.query(
      'update campaign_mirror.campaigns set is_default = true, name = null where id = $1',
      [id],
    );
    const { errors } = await on.run('campaign', 'delete', `${id}`);
    expect(errors).to.include(
      `Delete the default campaign ${id} of the owner 1, which has no mirror? Its history stays.`,
    );
  });
});
