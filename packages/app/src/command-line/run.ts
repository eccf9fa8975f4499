import {
  Call,
  ClearError,
  type CommandInput,
  exitCodes,
  Interrupted,
} from '@campaign-mirror/adapters-cli/terminal';
import { CommanderError } from 'commander';
import { program } from './program.ts';

/** Runs the command line with these words; resolves with the exit code. Never rejects, and calls share no state. */
export async function run(words: readonly string[], input: CommandInput): Promise<number> {
  const call = new Call(input);
  try {
    const line = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
    const commands = await program(call, line[0]);
    await commands.parseAsync(line, { from: 'user' });
    await call.output.allWritten();
    return call.exitCode;
  } catch (error) {
    return await report(error, call);
  }
}

/** Reports the error in one line, and with `--verbose` the details; returns the exit code. */
async function report(error: unknown, { output, verbose }: Call): Promise<number> {
  // Commander has printed it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const { errorFields } = await import('../logging/error-fields.ts');
  const details = () => output.note(JSON.stringify(errorFields(error), undefined, 2));
  if (error instanceof Interrupted) {
    output.note(error.message);
    return error.exitCode;
  }
  if (error instanceof ClearError) {
    output.note(error.message);
    if (verbose) details();
    return exitCodes[error.kind];
  }
  output.note('This is a bug: please report what follows.');
  details();
  return exitCodes.refused;
}
