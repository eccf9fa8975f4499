import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { answered, command } from '../support/commands/command.ts';
import { calls } from '../support/commands/command-tree.ts';

describe('help', () => {
  it('each command shows what it does, with --json and examples of itself', async () => {
    for (const { words } of calls()) {
      const { code, output } = await command([...words, '--help'], {});
      expect(code, words.join(' ')).to.equal(0);
      expect(output).to.match(
        new RegExp(`^Usage: campaign-mirror ${words.join(' ')} .*\n\n\\w+ .*--json`, 'ms'),
      );
      const [, examples = ''] = output.split('\nExamples:\n');
      for (const line of examples.trim().split('\n'))
        expect(line.trim()).to.match(new RegExp(`^\\./campaign-mirror ${words.join(' ')}`));
    }
    const { default: project } = await import('../../package.json', { with: { type: 'json' } });
    expect(await command(['--version'], {})).to.deep.equal(answered(`${project.version}\n`));
  });
});

/** What bash offers for each line, the cursor at its end, in a shell that stops at a variable that is not set. */
async function offers(lines: readonly string[]): Promise<string[][]> {
  const { output } = await command(['completion', 'bash'], {});
  const asked = lines.map((line) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _campaign_mirror; echo "\${COMPREPLY[*]}"`;
  });
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-uc', [output, ...asked].join('\n')]);
  return stdout.split('\n').map((line) => line.split(' '));
}

describe('completion', () => {
  it('offers what can stand there: every command, every option, and the values of an argument', async () => {
    const cases: Record<string, string> = {
      'campaign-mirror key ': 'issue list revoke rotate',
      'campaign-mirror key rotate 7 --g': '--grace',
      'campaign-mirror campaign list --owner ': '',
      'campaign-mirror key issue --name = list --exp': '--expires-in',
      'campaign-mirror completion ': 'bash zsh',
      'campaign-mirror backup ': '',
    };
    const offered = await offers(Object.keys(cases));
    for (const [at, [typed, expected]] of Object.entries(cases).entries())
      expect(offered[at]?.toSorted().join(' '), typed).to.equal(expected);
    const all = calls().flatMap(({ words, command: { options } }) => {
      const line = ['campaign-mirror', ...words].join(' ');
      return [line, ...options.map(({ long }) => `${line} ${long}`)];
    });
    const offeredOfAll = await offers(all);
    for (const [at, line] of all.entries()) expect(offeredOfAll[at], line).to.include(line.split(' ').at(-1));
  });
});
