import { ClearError } from '../clear-error.ts';
import { Interrupted, type Interruption } from './interruption.ts';

/** Whether there is somebody to be asked: questions go to standard error, since standard output holds the answer alone. */
function isSomebodyThere(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * Asks before something is lost. With `--yes` it is not asked.
 * @throws ClearError when the answer is no, or when there is nobody to ask; Interrupted
 */
export async function confirmed(
  question: string,
  yes: boolean | undefined,
  interruption: Interruption,
): Promise<void> {
  if (yes) return;
  if (!isSomebodyThere()) {
    throw new ClearError(`${question}\nNobody is there to be asked: add --yes to do it.`, 'usage');
  }
  const { default: confirm } = await import('@inquirer/confirm');
  const agreed = await asked(interruption, (context) =>
    confirm({ message: question, default: false }, context),
  );
  if (!agreed) throw new ClearError('Nothing was done.');
}

/** Asks for a secret, which is not shown. @throws ClearError when there is nobody to ask; Interrupted */
export async function secret(
  question: string,
  otherwise: string,
  interruption: Interruption,
): Promise<string> {
  if (!isSomebodyThere()) throw new ClearError(otherwise, 'usage');
  const { default: password } = await import('@inquirer/password');
  return asked(interruption, (context) => password({ message: question }, context));
}

interface Context {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

async function asked<T>(interruption: Interruption, ask: (context: Context) => Promise<T>): Promise<T> {
  const nothing = 'Nothing was done.';
  try {
    return await ask({ output: process.stderr, signal: interruption.signal });
  } catch (error) {
    interruption.throwIfInterrupted(nothing);
    // Ctrl-C, or the end of the input, at the question.
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new Interrupted('SIGINT', nothing);
    }
    throw error;
  }
}
