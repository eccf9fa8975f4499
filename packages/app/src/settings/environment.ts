import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Adds the variables of the file that ENVIRONMENT_FILE names to the environment, where they replace others of the same
 * names. The driver of the database finds libpq's variables there. @throws Error when the file cannot be read
 */
export function addEnvironmentFile(environment: NodeJS.ProcessEnv): void {
  const path = environment.ENVIRONMENT_FILE;
  if (!path) return;
  try {
    Object.assign(environment, parseEnv(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`ENVIRONMENT_FILE: ${path} cannot be read: ${(error as Error).message}`);
  }
}
