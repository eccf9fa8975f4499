import type { Call } from './call.ts';
import { ClearError, Interrupted, printable } from './errors.ts';

/**
 * Asks for confirmation before data is lost.
 * @throws ClearError when the answer is no, or when there is no user to ask; Interrupted
 */
export async function confirmed(call: Call, question: string): Promise<void> {
  const context = asking(call, `${question}\nThere is no terminal to ask on: add --yes to confirm.`);
  const { default: confirm } = await import('@inquirer/confirm');
  const agreed = await answerOf(call, confirm({ message: printable(question), default: false }, context));
  if (!agreed) throw new ClearError('Nothing was done.');
}

/** Asks for a secret without echoing it. @throws ClearError when there is no user to ask; Interrupted */
export async function secret(call: Call, question: string, otherwise: string): Promise<string> {
  const context = asking(call, otherwise);
  const { default: password } = await import('@inquirer/password');
  return answerOf(call, password({ message: question }, context));
}

/** Questions go to standard error, since standard output contains only the answer. */
function asking({ stdin: input, stderr: output, interruption: { signal } }: Call, otherwise: string) {
  if (!input.isTTY || !output.isTTY) throw new ClearError(otherwise, 'usage');
  return { input, output, signal };
}

function answerOf<T>(call: Call, answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    const nothing = 'Nothing was done.';
    call.interruption.throwIfInterrupted(nothing);
    // Ctrl-C, or the end of the input, at the prompt.
    throw error.name === 'ExitPromptError' ? new Interrupted('SIGINT', nothing) : error;
  });
}
