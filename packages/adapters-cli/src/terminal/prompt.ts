import type { Call } from './call.ts';
import { ClearError } from './clear-error.ts';
import { printable } from './escapes.ts';
import { Interrupted } from './interruption.ts';

/** Whether a user can be asked. Questions go to standard error, since standard output contains only the answer. */
function isSomebodyThere({ stdin, stderr }: Call): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks for confirmation before data is lost; `--yes` skips the question.
 * @throws ClearError when the answer is no, or when there is no user to ask; Interrupted
 */
export async function confirmed(call: Call, question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!isSomebodyThere(call)) {
    throw new ClearError(`${question}\nThere is no terminal to ask on: add --yes to confirm.`, 'usage');
  }
  const { default: confirm } = await import('@inquirer/confirm');
  const agreed = await asked(call, (context) =>
    confirm({ message: printable(question), default: false }, context),
  );
  if (!agreed) throw new ClearError('Nothing was done.');
}

/** Asks for a secret without echoing it. @throws ClearError when there is no user to ask; Interrupted */
export async function secret(call: Call, question: string, otherwise: string): Promise<string> {
  if (!isSomebodyThere(call)) throw new ClearError(otherwise, 'usage');
  const { default: password } = await import('@inquirer/password');
  return asked(call, (context) => password({ message: question }, context));
}

interface Context {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

async function asked<T>(call: Call, ask: (context: Context) => Promise<T>): Promise<T> {
  const { stdin: input, stderr: output, interruption } = call;
  const nothing = 'Nothing was done.';
  try {
    return await ask({ input, output, signal: interruption.signal });
  } catch (error) {
    interruption.throwIfInterrupted(nothing);
    // Ctrl-C, or the end of the input, at the prompt.
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new Interrupted('SIGINT', nothing);
    }
    throw error;
  }
}
