import { environmentExample } from '../settings/settings.ts';

const usage = 'npm start, or npm start -- --help';

/** Answers a call with arguments, which does not start the service; returns the exit code. */
export function answerArguments(words: readonly string[]): number {
  // A reader that has closed the pipe needs no answer.
  process.stdout.on('error', () => {});
  if (words.every((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`Usage: ${usage}\n\nStarts the service.\n\n${environmentExample()}`);
    return 0;
  }
  process.stderr.write(
    `The service takes no arguments (${usage}): its settings are environment variables.\n`,
  );
  return 2;
}
