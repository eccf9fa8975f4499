import { environmentExample } from '../settings/settings.ts';

const usage = 'npm start, or npm start -- --help';

/** Answers a call that was not meant to start the service; returns the exit code. */
export function answerArguments(given: readonly string[]): number {
  // A reader that has gone needs no answer.
  process.stdout.on('error', () => {});
  if (given.every((one) => one === '--help' || one === '-h')) {
    process.stdout.write(`Usage: ${usage}\n\nStarts the service.\n\n${environmentExample()}`);
    return 0;
  }
  process.stderr.write(
    `The service takes no arguments (${usage}): its settings are environment variables.\n`,
  );
  return 2;
}
