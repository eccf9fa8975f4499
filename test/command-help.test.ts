import { readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect } from 'chai';
import { program } from '../packages/app/src/cli/program.ts';
import { calls, commandsTable, examplesOf, shownCommands, wordsOf } from './support/command-tree.ts';
import { projectFolder } from './support/workspace.ts';

const readme = readFileSync(`${projectFolder}README.md`, 'utf8');

describe('the help of the commands', () => {
  it('there are commands to look at', () => {
    expect(calls().length).to.be.greaterThan(20);
  });

  for (const call of calls()) {
    const name = call.words.join(' ');

    it(`${name}: --json, what it does, and examples that can be understood`, async () => {
      expect(call.command.options.map(({ long }) => long)).to.include('--json');
      expect(call.command.description()).not.to.equal('');
      const examples = examplesOf(call);
      expect(examples).not.to.have.length(0);
      for (const example of examples) expect(await understood(example), example).to.equal(name);
    });

    it(`${name}: says what each of its options and arguments is`, () => {
      for (const { flags, description } of call.command.options) expect(description, flags).not.to.equal('');
      for (const one of call.command.registeredArguments) {
        expect(one.description, one.name()).not.to.equal('');
      }
    });
  }

  it('README.md shows each command as its help does', () => {
    const table = commandsTable();
    if (shownCommands(readme) !== table) console.log(`The table of the commands is:\n\n${table}\n`);
    expect(shownCommands(readme)).to.equal(table);
  });
});

/** Which command a line would run; rejects when it can not be understood. */
async function understood(line: string): Promise<string | undefined> {
  let ran: string | undefined;
  const all = program();
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
