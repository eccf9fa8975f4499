import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answered, command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { folderOf } from '../support/process/lives.ts';
import { mirrorsToMove, ofDefaultCampaign, onOldHost } from './mirrors-to-move.ts';

describe('mirror set --file: each campaign gets the address of its line, as a move that can be undone', () => {
  const { on, sql, filled, addresses, history } = mirrorsToMove();
  const folder = folderOf('test');
  const x = 'https://x.example/';
  /** Writes the file, and returns the command. */
  const setting = async (lines: readonly string[], columns = 'campaign,address,expected') => {
    await writeFile(folder.at('new.csv'), [columns, ...lines].join('\n'));
    return `mirror set --file ${folder.at('new.csv')}`;
  };

  it('sets or refuses each line, and says why; a dry run changes nothing', async () => {
    await filled(...onOldHost(5), ['https://old.example/6', 2, true], ['https://old.example/7']);
    await sql('delete from campaign_mirror.mirrors where campaign_id = 7');
    const lines = [
      `${x}?a={b};1;;\r`,
      `"${x}?a=""b"";c";2;https://old.example/2;"a note;"\r`,
      ';;;\r',
      '\r',
      ...[`${x};3;https://other.example/;\r`, 'https://old.example/4;4;https://elsewhere.example/;\r'],
      ...['https://denied.example/;5;;\r', `${x};6;;\r`, `${x};7;;\r`, 'https://u:secret@x.example/;8;;\r'],
      ...[`${x};;;\r`, `${x};9;;\r`, `${x};9;;\r`, `${x};1\r`],
    ];
    const file = await setting(lines, '\ufeffTarget URL;"Campaign ID";Expected;Notes\r');
    const invalid = `
      line 12: campaign: it is "", and must be a whole number from 1 to 9007199254740991, in digits alone
      line 13: campaign 9 is in line 14, too
      line 14: campaign 9 is in line 13 already
      line 15: the line has 2 fields, but the header has 4:…`;
    const others = `
      line 6: campaign 3 is not set: its address is https://old.example/3
      line 8: campaign 5 is not set: the new address is refused: it must not point to this host, which the host…
      line 9: campaign 6 is not set: ${ofDefaultCampaign(6)}
      line 10: campaign 7 is not set: it has no mirror: \`./campaign-mirror mirror create 7 --target-url URL\`…
      line 11: campaign 8 is not set: there is no such campaign`;
    await on.session(`
      $ MIRROR_HOST_DENYLIST=denied.example ${file} --dry-run${invalid}
      line 2: campaign 1: https://old.example/1 → ${x}?a={b}
      line 3: campaign 2: https://old.example/2 → ${x}?a="b";c${others}
      2 mirrors would be set from new.csv; nothing was done.
      ! Left out: the columns "Notes".
      ! not every mirror would be set: 4 in invalid lines, 1 not as expected, 1 denied host,…
      [1]
      $ MIRROR_HOST_DENYLIST=denied.example ${file} --yes${invalid}${others}
      2 mirrors were set from new.csv. This is move 2: \`./campaign-mirror mirror move --undo 2\` undoes it.
      ! Left out: the columns "Notes".
      ! not every mirror was set: 4 in invalid lines, 1 not as expected, 1 denied host,…
      [1]`);
    expect((await on.run(`${file} --dry-run --json`)).output).not.to.include('secret');
    const [entry] = await on.objects('audit --limit 1');
    expect(entry.act).to.equal('mirrors-moved');
    expect(entry.details).to.include({ source: 'new.csv', mirrors: 2, finished: true });
    expect((await addresses()).slice(0, 2)).to.deep.equal([`${x}?a={b}`, `${x}?a="b";c`]);
    expect((await on.run('mirror move --undo 2 --yes')).code).to.equal(0);
    expect((await addresses()).slice(0, 2)).to.deep.equal(onOldHost(2).map(([url]) => url));
  });

  it('asks, sets the mirrors that the question named, and leaves one that changed meanwhile', async () => {
    await filled(...onOldHost(3));
    const file = await setting([`1,${x}1,`, `2,${x}2,`, `9,${x}9,`]);
    const terminal = on.asking(file);
    await terminal.shows(
      `Set 2 mirrors from new.csv, such as that of campaign 1 to ${x}1? Not set: 1 campaign not found.`,
    );
    await setting([`3,${x}3,`]);
    await on.run('mirror set 2 https://elsewhere.example/ --as-operator');
    terminal.type('y\n');
    expect((await terminal.ended).code).to.equal(1);
    expect(terminal.screen).to.include('not every mirror was set: 1 not as expected, 1 campaign not found');
    expect(await addresses()).to.deep.equal([`${x}1`, 'https://elsewhere.example/', 'https://old.example/3']);
  });

  it('sets only the edited addresses of an export, read from standard input', async () => {
    await filled(...onOldHost(3), ['https://old.example/4', 2, true]);
    await on.run('campaign create --owner 3');
    const edited = (await on.run('export')).output.replace('https://old.example/2', `${x}2`);
    const run = (...more: string[]) =>
      command(['mirror', 'set', '--file', '-', ...more], on.settings, edited);
    expect((await run()).errors).to.match(/^Set 1 mirror from standard input, such as .*2\? .* add --yes/);
    const { output } = await run('--yes', '--json');
    expect(objectsOf(output).at(-1)).to.include({ move: 2, looked_at: 5, set: 1, unchanged: 4, not_set: 0 });
    expect(await run('--yes')).to.deep.equal(
      answered('standard input changes nothing: each mirror has its address already.\n'),
    );
    expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([2]);
  });
});
