import { ClearError } from '../clear-error.ts';
import { Interrupted } from './interruption.ts';

/** Questions go to standard error, so that standard output holds the answer alone. */
const context = { output: process.stderr };

/**
 * Asks before something is lost. With `--yes` it is not asked.
 * @throws ClearError when the answer is no, or when there is nobody to ask
 */
export async function confirmed(question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new ClearError(`${question}\nNobody is there to be asked: add --yes to do it.`, 'usage');
  }
  const { default: confirm } = await import('@inquirer/confirm');
  const agreed = await asked(() => confirm({ message: question, default: false }, context));
  if (!agreed) throw new ClearError('Nothing was done.');
}

/** Asks for a secret, which is not shown. @throws ClearError when there is nobody to ask */
export async function secret(question: string, otherwise: string): Promise<string> {
  if (!process.stdin.isTTY) throw new ClearError(otherwise, 'usage');
  const { default: password } = await import('@inquirer/password');
  return asked(() => password({ message: question }, context));
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    // Ctrl-C, or the end of the input, at the question.
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new Interrupted('SIGINT', 'Nothing was done.');
    }
    throw error;
  }
}
