import type { Call } from './call.ts';
import { ClearError, Interrupted, printable } from './errors.ts';

/**
 * Asks the user for confirmation.
 * @throws ClearError when the answer is no, or when there is no terminal to ask on; Interrupted
 */
export async function confirmed(call: Call, question: string): Promise<void> {
  const context = promptContext(call, `${question} There is no terminal to ask on: add --yes to confirm.`);
  const { default: confirm } = await import('@inquirer/confirm');
  const agreed = await answerOf(call, confirm({ message: printable(question), default: false }, context));
  if (!agreed) throw new ClearError('Nothing was done.');
}

/**
 * Asks the user for a secret, without echoing it.
 * @throws ClearError, with the text `otherwise`, when there is no terminal to ask on; Interrupted
 */
export async function secret(call: Call, question: string, otherwise: string): Promise<string> {
  const context = promptContext(call, otherwise);
  const { default: password } = await import('@inquirer/password');
  return answerOf(call, password({ message: question }, context));
}

/** Questions are printed on standard error, since standard output contains only the output of the command. */
function promptContext({ stdin: input, stderr: output, signal }: Call, otherwise: string) {
  if (!input.isTTY || !output.isTTY) throw new ClearError(otherwise, 'usage');
  return { input, output, signal };
}

function answerOf<T>(call: Call, answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    const nothing = 'Nothing was done.';
    call.throwIfStopped(nothing);
    // Ctrl-C, or the end of the input, at the prompt.
    throw error.name === 'ExitPromptError' ? new Interrupted('SIGINT', nothing) : error;
  });
}
