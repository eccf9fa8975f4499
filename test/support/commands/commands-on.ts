import { expect } from 'chai';
import type { TestDatabase } from '../database/database-server.ts';
import { rival, untilWaiting } from '../database/rival.ts';
import { terminal } from '../process/terminal.ts';
import { command, startCommand } from './command.ts';

type Json = ReturnType<typeof JSON.parse>;

/** What programs read of an answer: an object a line. */
export const objectsOf = (output: string): Json[] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** The commands on this database, with the operator's rights: a line as it is typed, then words that may have spaces. */
export function commandsOn(database: TestDatabase) {
  const settings = () => ({ DATABASE_URL: database.url('operator') });
  const words = ([line = '', ...more]: string[]) => [...line.split(' '), ...more];
  const run = (...args: string[]) => command(words(args), settings());
  /** What a command that was done says, by `--json`: one object a line. */
  const objects = async (...args: string[]) => {
    const { code, output, errors } = await run(...args, '--json');
    expect(code, errors).to.equal(0);
    return objectsOf(output);
  };
  return {
    get settings() {
      return settings();
    },
    run,
    objects,
    /** The same of one that says one. */
    async object(...args: string[]): Promise<Json> {
      const [object, ...more] = await objects(...args);
      expect(more).to.deep.equal([]);
      return object ?? expect.fail('nothing was said');
    },
    inTerminal: (...args: string[]) => terminal(words(args), settings()),
    /** The command in its middle: it waits for what another transaction has done. */
    async held(statement: string, ...args: string[]) {
      const other = await rival(database);
      await other.run(statement);
      const running = startCommand(words(args), settings());
      await untilWaiting(database, running.ended);
      return { other, running };
    },
  };
}
