import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Puts the variables of ENVIRONMENT_FILE into the environment, also for the database's driver. @throws Error */
export function addEnvironmentFile(environment: NodeJS.ProcessEnv): void {
  const path = environment.ENVIRONMENT_FILE;
  if (!path) return;
  try {
    Object.assign(environment, parseEnv(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`ENVIRONMENT_FILE: ${path} cannot be read: ${(error as Error).message}`);
  }
}
