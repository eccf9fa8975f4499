import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('the command campaign', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);

  const created = async (owner: number, ...more: string[]): Promise<number> =>
    (await on.object('campaign', 'create', '--owner', `${owner}`, ...more)).id as number;
  const audited = async (): Promise<number> => {
    const { rows } = await database.admin.query('select count(*)::int from campaign_mirror.operator_audit');
    return rows[0].count;
  };

  it('show: all there is to know, for people and for programs', async () => {
    const id = await created(1, '--name', 'Summer', '--default');
    const { mirror } = await on.object(
      'mirror',
      'create',
      `${id}`,
      '--target-url',
      'https://example.com/{x}',
    );
    const { created_at, ...shown } = await on.object('campaign', 'show', `${id}`);
    expect(shown).to.deep.equal({ id, owner_id: 1, is_default: true, name: 'Summer', mirror });
    expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const { code, output, errors } = await on.run('campaign', 'show', `${id}`);
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(output.split('\n')).to.deep.equal([
      `campaign  ${id}`,
      'owner     1',
      'default   yes',
      'name      Summer',
      `created   ${created_at}`,
      'mirror    https://example.com/{x}',
      'clicks    0',
      '',
    ]);
  });

  it('transfer: to another owner, with the one before; a second time nothing is done', async () => {
    const id = await created(2);
    const before = await audited();
    const call = ['campaign', 'transfer', `${id}`, '--to', '3'];
    expect(await on.object(...call)).to.deep.equal({ id, owner_id: 3, owner_id_before: 2, changed: true });
    expect(await on.object(...call)).to.deep.equal({ id, owner_id: 3, owner_id_before: 3, changed: false });
    expect((await on.run(...call)).output).to.equal(
      `Campaign ${id} belongs to the owner 3 already: nothing was done.\n`,
    );
    expect((await on.run('campaign', 'transfer', `${id}`, '--to', '2')).output).to.equal(
      `Campaign ${id} belongs to the owner 2 now; before, to the owner 3.\n`,
    );
    expect((await audited()) - before, 'entries of the audit').to.equal(2);
  });

  it('set-default, unset-default: a second time nothing is done', async () => {
    const id = await created(4);
    const before = await audited();
    for (const [name, is_default, words] of [
      ['set-default', true, "its owner's default one"],
      ['unset-default', false, 'an ordinary one'],
    ] as const) {
      const first = await on.run('campaign', name, `${id}`);
      expect(first).to.deep.equal({ code: 0, output: `Campaign ${id} is ${words} now.\n`, errors: '' });
      const [again, object] = await Promise.all([
        on.run('campaign', name, `${id}`),
        on.object('campaign', name, `${id}`),
      ]);
      expect(again.output).to.equal(`Campaign ${id} is ${words} already: nothing was done.\n`);
      expect(object).to.deep.equal({
        id,
        owner_id: 4,
        is_default,
        changed: false,
      });
    }
    expect((await audited()) - before, 'entries of the audit').to.equal(2);
  });

  it("an owner's second default campaign is refused with the number and name of the first, whichever way", async () => {
    const first = await created(5, '--default', '--name', 'First \u{1f389}');
    const [second, theirs] = [await created(5), await created(6, '--default')];
    const before = await audited();
    const errors =
      `the owner 5 has a default campaign already: campaign ${first} "First \u{1f389}"; ` +
      `\`./campaign-mirror campaign unset-default ${first}\` makes it an ordinary one\n`;
    const refused = await Promise.all([
      on.run('campaign', 'set-default', `${second}`),
      on.run('campaign', 'transfer', `${theirs}`, '--to', '5'),
      on.run('campaign', 'create', '--owner', '5', '--default'),
    ]);
    const refusal = { code: 1, output: '', errors };
    expect(refused).to.deep.equal([refusal, refusal, refusal]);
    expect(await audited()).to.equal(before);
  });

  it('a campaign that there is not', async () => {
    const none = { code: 1, output: '', errors: 'there is no campaign 999999\n' };
    const calls = [
      ['campaign', 'show', '999999'],
      ['campaign', 'transfer', '999999', '--to', '1'],
      ['campaign', 'set-default', '999999'],
      ['campaign', 'delete', '999999'],
      ['campaign', 'delete', '999999', '--yes'],
      ['mirror', 'show', '999999'],
    ];
    const answers = await Promise.all(calls.map((call) => on.run(...call)));
    for (const [at, answer] of answers.entries()) expect(answer, calls[at]?.join(' ')).to.deep.equal(none);
  });

  it('what steers a terminal, or misleads its reader, is shown by its code point', async () => {
    const id = await created(7);
    const name = '\u001b[31mred\u202e\r\nx';
    await database.admin.query(
      'update campaign_mirror.campaigns set name = $2, is_default = true where id = $1',
      [id, name],
    );
    const shown = '\\u{1b}[31mred\\u{202e}\\u{d}\\u{a}x';
    for (const call of [
      ['campaign', 'show', `${id}`],
      ['campaign', 'list', '--owner', '7'],
      ['campaign', 'create', '--owner', '7', '--default'],
      ['campaign', 'delete', `${id}`],
      ['campaign', 'delete', `${id}`, '--yes'],
    ]) {
      const { output, errors } = await on.run(...call);
      expect(output + errors, call.join(' ')).to.include(shown);
      expect(output + errors, call.join(' ')).not.to.match(/[\u001b\u202e\r]/);
    }
    const { output } = await on.run('audit', '--limit', '1');
    expect(output)
      .to.include('red')
      .and.not.to.match(/[\u001b\u202e\r]/);
  });
});
