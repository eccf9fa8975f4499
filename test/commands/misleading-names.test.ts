import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';
import { csv, line } from './csv.ts';

/** Characters that reverse text, or have no width: marks, joiners, fillers, unusual blanks, tags. */
const hidden = [
  ...'\u202e\u200e\u061c\u200b\u00ad\u034f\u3164\u2800\u00a0\u3000\ufe0f\u180b\ufdd0\u{e0100}\u{e0068}\u{1bca0}\u{fffff}',
];
const name = `Sum${hidden.join('mer ')}sale!`;
const shown = `Sum${hidden.map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join('mer ')}sale!`;
/** Escape sequences, which an import refuses. */
const red = '\u001b[31m\r\n';
const misleading = new RegExp([...hidden, '\u001b', '\r'].join('|'), 'u');

describe('a name of a campaign or key cannot deceive the reader of a terminal', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const importing = (...lines: string[]) => command(['import', '-'], on.settings, csv(...lines));

  it('CSV keeps the name byte for byte; JSON and tables escape it', async () => {
    const first = line({ id: '1', owner_id: '7', is_default: 'true', name });
    expect((await importing(first, line({ id: '2', owner_id: '7' }))).code).to.equal(0);
    expect((await on.run('export')).output).to.include(`1,${name},7,true,`);
    await database.admin.query('update campaign_mirror.campaigns set name = $1 where id = 1', [red + name]);
    for (const words of [['campaign', 'list'], ['campaign', 'show', '1'], ['export']]) {
      const { output } = await on.run(...words, '--json');
      expect(output).not.to.match(misleading);
      expect(objectsOf(output)[0]).to.have.property('name', red + name);
    }

    await on.run('key', 'issue', '--owner', '7', '--name', name);
    const terminal = on.asking('campaign', 'delete', '1');
    await terminal.shows(`Delete default campaign 1 "\\u{1b}[31m\\u{d}\\u{a}${shown}"`);
    expect(terminal.output).not.to.match(new RegExp(hidden.join('|'), 'u'));
    terminal.type('n\r');
    await terminal.ended;
    const told = [];
    for (const line of ['list', 'show 1', 'set-default 2', 'delete 1', 'delete 1 --yes'])
      told.push(await on.run(`campaign ${line}`));
    told.push(await on.run('campaign', `show${red.trim()}${name}`));
    for (const { output, errors } of [...told, await on.run('audit'), await on.run('key list')])
      expect(output + errors)
        .to.include(shown)
        .and.not.to.match(misleading);
  });
});
