import { parseArgs } from 'node:util';

/** What is read from the command line; where that fails, or help is asked for, says how it is used and ends the process. */
export function wordsOf<T extends object>(usage: string, read: (words: string[]) => T | undefined): T {
  let words: T | undefined;
  try {
    words = read(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
  if (words) return words;
  console.log(usage);
  process.exit(0);
}

/** For `wordsOf`, where there is nothing to choose. */
export function noWords(words: string[]): object | undefined {
  return parseArgs({ args: words, options: { help: { type: 'boolean' } } }).values.help ? undefined : {};
}
