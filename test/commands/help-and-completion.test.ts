import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { calls, commandTree } from '../support/commands/command-tree.ts';

describe('the help of the commands', () => {
  it('each has --json, says what it, its options and arguments are, and gives examples that can be understood', async () => {
    for (const { words, command: one } of calls()) {
      const name = words.join(' ');
      expect(
        one.options.map(({ long }) => long),
        name,
      ).to.include('--json');
      for (const { description } of [{ description: one.description() }, ...one.options])
        expect(description, name).not.to.equal('');
      for (const { description } of one.registeredArguments) expect(description, name).not.to.equal('');
      const { output } = await command([...words, '--help'], {});
      const [, examples = ''] = output.split('\nExamples:\n');
      const lines = [...examples.matchAll(/\.\/campaign-mirror ?(.*)/g)].map(([, line = '']) => line);
      expect(lines, name).not.to.have.length(0);
      for (const line of lines) expect(await understood(line), line).to.equal(name);
    }
  });

  it('names every exit code, and what an option that is left out means', async () => {
    const { output } = await command(['--help'], {});
    const codes = /\nExit codes: (.*)\.\n/.exec(output)?.[1] ?? '';
    expect(codes.split('; ').map((one) => Number.parseInt(one, 10))).to.deep.equal([0, 1, 2, 3, 130]);
    for (const [words, says] of [
      ['key issue', /--expires-in <time> [^-]*365d by default/],
      [
        'mirror restore',
        /--to <change> [^-]*required without --undo.*--undo <change> [^-]*required without --to/,
      ],
    ] as const) {
      const help = await command([...words.split(' '), '--help'], {});
      expect(help.output.replace(/\s+/g, ' ')).to.match(says);
    }
    // There is no command that shows the help of another one than it was asked for.
    for (const words of ['help', 'help mirror set', 'mirror help set'])
      expect(await command(words.split(' '), {}), words).to.deep.equal(
        refused("error: unknown command 'help'\n(--help shows the commands and options)\n", 2),
      );
    expect(output).not.to.match(/^ +help\b/m);
  });

  it('--version is that of the project', async () => {
    const { default: project } = await import('../../package.json', { with: { type: 'json' } });
    expect(await command(['--version'], {})).to.deep.equal(answered(`${project.version}\n`));
  });
});

describe('completion', () => {
  let script: string;
  before(async () => {
    script = (await command(['completion', 'bash'], {})).output;
  });
  /** In a shell that stops at a variable that is not set. */
  const bash = async (then: string) =>
    (await promisify(execFile)('bash', ['--norc', '-uc', `${script}\n${then}`])).stdout;

  /** What bash offers for each line, the cursor at its end. */
  async function offers(lines: readonly string[]): Promise<string[][]> {
    const asked = lines.map((line) => {
      const words = line.split(' ').map((word) => `'${word}'`);
      return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _campaign_mirror; echo "\${COMPREPLY[*]}"`;
    });
    return (await bash(asked.join('\n'))).split('\n').map((line) => line.split(' '));
  }

  it('is a script for the shell that is named, which offers files where a file is meant', async () => {
    const { output } = await command(['completion', 'bash', '--json'], {});
    expect(JSON.parse(output)).to.deep.equal({ shell: 'bash', script: script.trimEnd() });
    expect((await command(['completion', 'fish'], {})).code).to.equal(2);
    expect(await bash('complete -p campaign-mirror')).to.equal(
      'complete -o bashdefault -o default -F _campaign_mirror campaign-mirror\n',
    );
  });

  it('offers what can stand there', async () => {
    const cases = {
      './campaign-mirror ca': 'campaign',
      'campaign-mirror key ': 'issue list revoke rotate',
      'campaign-mirror key ro': 'rotate',
      'campaign-mirror key rotate 7 --g': '--grace',
      'campaign-mirror key list --json --own': '--owner',
      'campaign-mirror campaign list --owner ': '',
      'campaign-mirror key issue --name list --exp': '--expires-in',
      'campaign-mirror key issue --name = list --exp': '--expires-in',
      'campaign-mirror completion ': 'bash zsh',
      'campaign-mirror backup ': '',
    };
    const offered = await offers(Object.keys(cases));
    for (const [at, [typed, expected]] of Object.entries(cases).entries())
      expect(offered[at]?.toSorted().join(' '), typed).to.equal(expected);
  });

  it('offers every command and every option that there is', async () => {
    const typed = calls().flatMap(({ words, command: { options } }) => {
      const line = ['campaign-mirror', ...words].join(' ');
      return [line, ...options.map(({ long }) => `${line} ${long}`)];
    });
    expect(typed.length).to.be.greaterThan(50);
    const offered = await offers(typed);
    for (const [at, line] of typed.entries()) expect(offered[at], line).to.include(line.split(' ').at(-1));
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
    command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  }
  // As a shell takes it apart: words, some in quotes.
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  await all.parseAsync(
    words.map(([, double, single, plain]) => double ?? single ?? plain ?? ''),
    { from: 'user' },
  );
  return ran;
}
