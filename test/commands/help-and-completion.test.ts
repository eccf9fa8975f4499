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

describe('completion', () => {
  it('in a shell that stops at a variable that is not set: offers every command, every option, and values', async () => {
    const all = calls().flatMap(({ words, command: { options } }) => {
      const line = ['campaign-mirror', ...words].join(' ');
      return [line, ...options.map(({ long }) => `${line} ${long}`)];
    });
    const lines = [...all, 'campaign-mirror completion bash'];
    const asked = lines.map((line) => {
      const words = line.split(' ');
      return `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _campaign_mirror; echo "\${COMPREPLY[*]}"`;
    });
    const { output } = await command(['completion', 'bash'], {});
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-uc', [output, ...asked].join('\n')]);
    const offered = stdout.split('\n').map((line) => line.split(' '));
    for (const [at, line] of lines.entries()) expect(offered[at], line).to.include(line.split(' ').at(-1));
  });
});
