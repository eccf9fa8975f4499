import { expect } from 'chai';
import type { TestDatabase } from '../database/database-server.ts';
import { type Terminal, terminal } from '../process/terminal.ts';
import { command, type Done } from './command.ts';

type Json = ReturnType<typeof JSON.parse>;

interface Commands {
  readonly settings: Readonly<Record<string, string>>;
  run(...args: string[]): Promise<Done>;
  /** What a command that was done says, by `--json`: one object. */
  object(...args: string[]): Promise<Json>;
  /** The same for a list: one object a line. */
  objects(...args: string[]): Promise<Json[]>;
  inTerminal(...args: string[]): Terminal;
}

/** What programs read of an answer: an object a line. */
export const objectsOf = (output: string): Json[] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** The commands on this database, with the operator's rights. */
export function commandsOn(database: TestDatabase): Commands {
  const settings = () => ({ DATABASE_URL: database.url('operator') });
  const run = (...args: string[]) => command(args, settings());
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
    object: async (...args) => {
      const [object, ...more] = await objects(...args);
      if (!object || more.length > 0) throw new Error(`one line is expected of ${args.join(' ')}`);
      return object;
    },
    inTerminal: (...args) => terminal(args, settings()),
  };
}
