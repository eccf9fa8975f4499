import { CommanderError } from 'commander';
import { ClearError } from '../clear-error.ts';
import { forgetOrmVariables } from '../orm-variables.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { Interrupted } from './interruption.ts';
import { allWritten, tell } from './output.ts';
import { program } from './program.ts';
import { verbosity } from './verbosity.ts';

forgetOrmVariables(process.env);
try {
  await program().parseAsync();
  await allWritten();
} catch (error) {
  process.exitCode = await explained(error);
}

/** Tells what went wrong in one line, and with `--verbose` the rest; the exit code for it. */
async function explained(error: unknown): Promise<number> {
  // Commander has said it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  const { errorFields } = await import('../error-fields.ts');
  const details = () => tell(JSON.stringify(errorFields(error), undefined, 2));
  if (error instanceof Interrupted) {
    tell(error.message);
    return exitCodeOf(error.signal);
  }
  if (error instanceof ClearError) {
    tell(error.message);
    if (verbosity.verbose) details();
    return exitCodes[error.kind];
  }
  tell('A fault of ours: please report what follows.');
  details();
  return exitCodes.refused;
}
