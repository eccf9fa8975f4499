import type { Role } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { TestDatabase } from '../database/database-server.ts';
import { rival, untilWaiting } from '../database/rival.ts';
import { terminal } from '../process/terminal.ts';
import { command, fedCommand, startCommand } from './command.ts';

type Json = ReturnType<typeof JSON.parse>;

/** What programs read of an answer: an object a line. */
export const objectsOf = (output: string): Json[] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** As a shell takes it apart: words, some in quotes. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );

/** The commands on this database, with the rights of the operator or another role: a line as it is typed, or its words. */
export function commandsOn(database: TestDatabase, role: Role = 'operator') {
  const settings = () => ({ DATABASE_URL: database.url(role) });
  const words = (args: string[]) => (args.length === 1 ? wordsOf(args[0] ?? '') : args);
  const run = (...args: string[]) => command(words(args), settings());
  /** What a command that was done says, by `--json`: one object a line. */
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
      return object ?? expect.fail('nothing was said');
    },
    /**
     * Types each line after `$ `, perhaps with settings before the command, and expects below it what is said, on
     * standard error after `! `. The exit code is 1 if nothing else is said than that, and otherwise 0, unless it
     * stands in brackets.
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
      expect(seen.join('\n')).to.equal(expected.join('\n'));
    },
    inTerminal: (...args: string[]) => terminal(words(args), settings()),
    /** The same in this process. */
    asking: (...args: string[]) => fedCommand(words(args), settings(), true),
    /** The command in its middle: it waits for what another transaction has done. */
    async held(statement: string, ...args: string[]) {
      const other = await rival(database, statement);
      const running = startCommand(words(args), settings());
      await untilWaiting(database, running.ended);
      return { other, running };
    },
  };
}
