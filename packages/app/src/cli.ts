import { CommanderError } from 'commander';
import { ClearError } from './clear-error.ts';
import { commands } from './commands.ts';
import { errorFields } from './log.ts';

/** Ends with 0 when it was done, 1 when it was refused or failed, 2 when the call can not be understood. */
try {
  await commands().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.exitCode = 1;
    console.error(error instanceof ClearError ? error.message : errorFields(error));
  }
}
