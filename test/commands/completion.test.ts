import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { answered, command, type Done } from '../support/commands/command.ts';
import { calls } from '../support/commands/command-tree.ts';

describe('completion', () => {
  let printed: Done;
  before(async () => {
    printed = await command(['completion', 'bash'], {});
  });

  it('is a script for the shell that is named, and for programs the same in an object', async () => {
    expect(printed).to.include({ code: 0, errors: '' });
    const { output } = await command(['completion', 'bash', '--json'], {});
    expect(JSON.parse(output)).to.deep.equal({ shell: 'bash', script: printed.output.trimEnd() });
    expect((await command(['completion', 'fish'], {})).code).to.equal(2);
  });

  const cases: [why: string, typed: string, offered: string][] = [
    ['commands', './campaign-mirror ca', 'campaign'],
    ['commands of a kind', 'campaign-mirror key ', 'issue list revoke rotate'],
    ['a command that begins so', 'campaign-mirror key ro', 'rotate'],
    ['options', 'campaign-mirror key rotate 7 --g', '--grace'],
    ['options, behind one without a value', 'campaign-mirror key list --json --own', '--owner'],
    ['no command as the value of an option', 'campaign-mirror campaign list --owner ', ''],
    [
      'options, behind a value that is a command',
      'campaign-mirror key issue --name list --exp',
      '--expires-in',
    ],
    ['options, behind a value with =', 'campaign-mirror key issue --name = list --exp', '--expires-in'],
    ['the values of an argument', 'campaign-mirror completion ', 'bash zsh'],
    ['nothing where there is nothing', 'campaign-mirror backup ', ''],
  ];
  for (const [why, typed, offered] of cases) {
    it(`bash: ${why}: ${typed}`, async () => {
      expect((await offers(typed)).sort().join(' ')).to.equal(offered);
    });
  }

  it('bash: every command and every option that there is', async () => {
    const typed = calls().flatMap(({ words, command: { options } }) => [
      { line: ['campaign-mirror', ...words].join(' '), expected: words.at(-1) },
      ...options.map(({ long }) => ({
        line: `${['campaign-mirror', ...words].join(' ')} ${long}`,
        expected: long,
      })),
    ]);
    expect(typed.length).to.be.greaterThan(50);
    const offered = await offersOfAll(typed.map(({ line }) => line));
    for (const [at, { line, expected }] of typed.entries()) expect(offered[at], line).to.include(expected);
  });

  it('bash: files where a file is meant', async () => {
    const { stdout } = await bash('complete -p campaign-mirror');
    expect(stdout.trim()).to.match(
      /^complete -o bashdefault -o default -F _campaign_mirror campaign-mirror$/,
    );
  });

  const offers = async (typed: string) => (await offersOfAll([typed]))[0] ?? [];

  /** What bash offers for each line, the cursor at its end. */
  async function offersOfAll(lines: readonly string[]): Promise<string[][]> {
    const asked = lines.map((line) => {
      const words = line.split(' ').map((word) => `'${word}'`);
      return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _campaign_mirror; echo "\${COMPREPLY[*]}"`;
    });
    const { stdout } = await bash(asked.join('\n'));
    return stdout.split('\n').map((line) => line.split(' '));
  }

  /** In a shell that stops at a variable that is not set. */
  const bash = (then: string) =>
    promisify(execFile)('bash', ['--norc', '-uc', `${printed.output}\n${then}`], { encoding: 'utf8' });
});

describe('--version', () => {
  it('is that of the project', async () => {
    const { default: project } = await import('../../package.json', { with: { type: 'json' } });
    expect(await command(['--version'], {})).to.deep.equal(answered(`${project.version}\n`));
  });
});
