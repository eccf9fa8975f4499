import { readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect } from 'chai';
import { command, refused } from '../support/commands/command.ts';
import { calls, commandTree, examplesOf, helpOf, tree, wordsOf } from '../support/commands/command-tree.ts';
import { projectFolder } from '../support/workspace.ts';

const reference = readFileSync(`${projectFolder}docs/reference/command-line.md`, 'utf8');

describe('the help of the commands', () => {
  for (const call of calls()) {
    const name = call.words.join(' ');

    it(`${name}: --json, what it, its options and its arguments are, and examples that can be understood`, async () => {
      expect(call.command.options.map(({ long }) => long)).to.include('--json');
      expect(call.command.description()).not.to.equal('');
      const examples = examplesOf(call);
      expect(examples).not.to.have.length(0);
      for (const example of examples) expect(await understood(example), example).to.equal(name);
      for (const { flags, description } of call.command.options) expect(description, flags).not.to.equal('');
      for (const one of call.command.registeredArguments)
        expect(one.description, one.name()).not.to.equal('');
    });
  }

  const flat = (words: string) => {
    const found = calls().find((call) => call.words.join(' ') === words);
    return found ? helpOf(found.command).replace(/\s+/g, ' ') : '';
  };

  it('names every exit code, that of Ctrl-C included', () => {
    const codes = /\nExit codes: (.*)\.\n/.exec(helpOf(tree))?.[1] ?? '';
    expect(codes.split('; ').map((one) => Number.parseInt(one, 10))).to.deep.equal([0, 1, 2, 3, 130]);
    const explained = /^\| exit code \|.*(?:\n\|.*)*/m.exec(reference)?.[0] ?? '';
    expect([...explained.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))).to.deep.equal([
      0, 1, 2, 3, 130,
    ]);
  });

  it('says what an option that is left out means', () => {
    expect(flat('key issue')).to.match(/--expires-in <time> [^-]*365d by default/);
    expect(flat('mirror restore')).to.match(/--to <change> [^-]*required without --undo/);
    expect(flat('mirror restore')).to.match(/--undo <change> [^-]*required without --to/);
  });

  it('is had by --help alone: there is no command that shows the help of another one than it was asked for', async () => {
    for (const words of [['help'], ['help', 'mirror', 'set'], ['mirror', 'help', 'set']]) {
      expect(await command(words, {}), words.join(' ')).to.deep.equal(
        refused("error: unknown command 'help'\n(--help shows the commands and options)\n", 2),
      );
    }
    expect(helpOf(tree)).not.to.match(/^ +help\b/m);
  });
});

/** Which command a line would run; rejects when it cannot be understood. */
async function understood(line: string): Promise<string | undefined> {
  let ran: string | undefined;
  const all = await commandTree();
  for (const { words, command } of calls(all)) {
    command.action(() => {
      ran = words.join(' ');
    });
    silenced(command);
  }
  await all.parseAsync(wordsOf(line), { from: 'user' });
  return ran;
}

function silenced(command: CommandUnknownOpts): void {
  command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
}
