import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Adds the variables of ENVIRONMENT_FILE to the environment, which the database's driver reads, too. @throws Error */
export function addEnvironmentFile(environment: NodeJS.ProcessEnv): void {
  const path = environment.ENVIRONMENT_FILE;
  if (!path) return;
  try {
    Object.assign(environment, parseEnv(textOf(path)));
  } catch (error) {
    throw new Error(`ENVIRONMENT_FILE: ${path} cannot be read: ${(error as Error).message}`);
  }
}

/** The text without a byte order mark. @throws Error if it is not UTF-8, for which Node reads U+FFFD */
export function textOf(path: string): string {
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  if (!/[\0\ufffd]/.test(text)) return text;
  throw new Error(`${path} is not in UTF-8: save it as UTF-8, in PowerShell with -Encoding utf8`);
}
