import { PassThrough, Writable } from 'node:stream';
import type { CommandInput } from '../../../packages/adapters-cli/src/terminal/call.ts';
import { Interrupted } from '../../../packages/adapters-cli/src/terminal/errors.ts';
import { run } from '../../../packages/app/src/command-line/program.ts';
import { type Done, environment, projectFolder, Speaker, start } from '../process/service-process.ts';

/** What was done says this, and nothing on standard error unless it is told. */
export const answered = (output: string, errors = ''): Done => ({ code: 0, output, errors });

/** What was not done says why, on standard error alone. */
export const refused = (errors: string, code = 1): Done => ({ code, output: '', errors });

type Settings = Readonly<Record<string, string>>;

/** Calls the command line in this process, as `./campaign-mirror …` does in one of its own. */
export async function command(
  args: readonly string[],
  settings: Settings,
  input: string | Buffer = '',
): Promise<Done> {
  const running = fedCommand(args, settings);
  running.stdin.end(input);
  return running.done();
}

export function startCommand(args: readonly string[], settings: Settings): RunningCommand {
  const running = fedCommand(args, settings);
  running.stdin.end();
  return running;
}

/** A command whose standard input is what the test writes, until the test ends it; perhaps by a person, who is asked. */
export function fedCommand(args: readonly string[], settings: Settings, isTTY = false): RunningCommand {
  return new RunningCommand(args, environment(settings), isTTY);
}

export class RunningCommand extends Speaker {
  readonly stdin = new PassThrough();
  readonly ended: Promise<{ code: number; signal: null }>;
  readonly #controller = new AbortController();
  #isOver = false;

  constructor(args: readonly string[], environment: CommandInput['environment'], isTTY: boolean) {
    super();
    const stream = (which: 'output' | 'errors') =>
      new Writable({
        decodeStrings: false,
        write: (text, _encoding, done) => {
          this.hear(which, String(text));
          done();
        },
      });
    const [stdout, stderr, { signal }] = [stream('output'), stream('errors'), this.#controller];
    Object.assign(this.stdin, { isTTY });
    // Nobody ends those of a process.
    for (const one of [stdout, stderr]) Object.assign(one, { isTTY, columns: 1_000, end: () => one });
    this.ended = run(args, { environment, stdin: this.stdin, stdout, stderr, signal }).then((code) => {
      this.#isOver = true;
      this.hear('output', '');
      return { code, signal: null };
    });
  }

  protected isOver(): boolean {
    return this.#isOver;
  }

  type(text: string): void {
    this.stdin.write(text);
  }

  /** Asks it to stop, as the process does when it receives this signal. */
  interrupt(signal: Interrupted['signal'] = 'SIGINT'): void {
    this.#controller.abort(new Interrupted(signal));
  }

  async stop(signal?: Interrupted['signal']): Promise<{ code: number; signal: null }> {
    this.interrupt(signal);
    return this.ended;
  }
}

export const commandProcess = (args: readonly string[], settings: Settings, cwd?: string): Promise<Done> =>
  startCommandProcess(args, settings, cwd).done();

export const startCommandProcess = (args: readonly string[], settings: Settings, cwd?: string) =>
  start(`${projectFolder}campaign-mirror`, args, settings, cwd);

/**
 * Runs `./campaign-mirror … | reader` in a shell: the output is the reader's, the exit code and what is on standard
 * error the command's.
 */
export async function piped(args: readonly string[], reader: string, settings: Settings): Promise<Done> {
  const script = `{ "$@"; echo "$?" >&2; } | ${reader}`;
  const running = start('sh', ['-c', script, 'sh', `${projectFolder}campaign-mirror`, ...args], settings);
  const { output, errors: told } = await running.done();
  const [, errors = '', code] = /^(.*?)(\d+)\n$/s.exec(told) ?? [];
  return { code: Number(code), output, errors };
}
