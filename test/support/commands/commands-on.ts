import type { Role } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { TestDatabase } from '../database/database-server.ts';
import { rival, untilWaiting } from '../database/rival.ts';
import { command, StartedCommand } from './command.ts';

type Json = ReturnType<typeof JSON.parse>;

/** Parses an output that has one JSON object a line. */
export const objectsOf = (output: string): Json[] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Splits a line into words as a shell does; a word may be in quotes. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

/** Runs commands on this database with the rights of this role. A command is one line, or its words. */
export function commandsOn(database: TestDatabase, role: Role = 'operator') {
  const settings = () => ({ DATABASE_URL: database.url(role) });
  const words = (args: string[]) => (args.length === 1 ? wordsOf(args[0] ?? '') : args);
  const run = (...args: string[]) => command(words(args), settings());
  /** Runs a command with `--json`, which must succeed: its objects. */
  const objects = async (...args: string[]) => {
    const { code, output, errors } = await run(...words(args), '--json');
    expect(code, errors).to.equal(0);
    return objectsOf(output);
  };
  return {
    get settings() {
      return settings();
    },
    run,
    objects,
    async object(...args: string[]): Promise<Json> {
      const [object, ...more] = await objects(...args);
      expect(more).to.deep.equal([]);
      return object ?? expect.fail('the output is empty');
    },
    /**
     * Runs each line after `$ `, and expects its output below it, standard error after `! `. Settings may precede the
     * command, and … stands for the rest of a line. The exit code must be 1 if there is standard error only, otherwise
     * 0, unless it is given in brackets.
     */
    async session(text: string): Promise<void> {
      const expected = text.trim().split(/\n */);
      const seen: string[] = [];
      for (const line of expected.filter((one) => one.startsWith('$ '))) {
        const [, given = '', typed = ''] = /^\$ ((?:[A-Z_]+=\S* )*)(.*)/.exec(line) ?? [];
        const more = given.split(' ').map((one) => one.split('='));
        const done = await command(wordsOf(typed), { ...settings(), ...Object.fromEntries(more) });
        const errors = done.errors.replace(/^(?=.)/gm, '! ');
        seen.push(line, ...`${done.output}${errors}`.split('\n').filter(Boolean));
        if (done.code !== Number(!done.output && Boolean(errors))) seen.push(`[${done.code}]`);
      }
      const shown = seen.map((line, at) => {
        const [beginning, ...rest] = expected[at]?.split(/…$/) ?? [];
        return rest.length > 0 && beginning && line.startsWith(beginning) ? `${beginning}…` : line;
      });
      expect(shown.join('\n')).to.equal(expected.join('\n'));
    },
    /** Starts a command as in a terminal: it asks, and the test types the answer. */
    asking: (...args: string[]) => new StartedCommand(words(args), settings(), true),
    /** Starts a command while another transaction has run this statement, and returns when the command waits for it. */
    async held(statement: string, ...args: string[]) {
      const other = await rival(database, statement);
      const running = new StartedCommand(words(args), settings());
      await untilWaiting(database, running.ended);
      return { other, running };
    },
  };
}
