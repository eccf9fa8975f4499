import { readFileSync } from 'node:fs';

/** A line whose value systemd, docker and this reader take as it is: no quotes around it, no escapes, no blanks at its ends. */
const assignment = /^([A-Za-z_]\w*)=((?!["'])[^\s\p{Cc}\\](?:[^\p{Cc}\\]*[^\s\p{Cc}\\])?)?$/u;
/** An empty line or a comment. systemd continues a comment that ends with a backslash in the next line. */
const ignored = /^[ \t]*$|^#.*(?<!\\)$/;

/**
 * Adds the variables of the file that ENVIRONMENT_FILE names; they replace others of the same names. systemd
 * (`EnvironmentFile=`) and docker (`--env-file`) read such a file alike.
 * @throws Error when the file cannot be read, or has a line that others could read differently; the line, which may
 *   hold a secret, is not shown
 */
export function addEnvironmentFile(environment: NodeJS.ProcessEnv): void {
  const path = environment.ENVIRONMENT_FILE;
  if (!path) return;
  for (const [at, line] of linesOf(path).entries()) {
    if (ignored.test(line)) continue;
    const [, name, value = ''] = assignment.exec(line) ?? [];
    if (name === undefined)
      throw new Error(
        `${path}, line ${at + 1}: write NAME=value, or a comment that begins with #; no quotes around the value, no backslash, and no blanks around = or at the ends`,
      );
    environment[name] = value;
  }
}

function linesOf(path: string): string[] {
  try {
    // A byte order mark is kept, since systemd keeps it.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(readFileSync(path)).split(/\r?\n/);
  } catch (error) {
    throw new Error(`ENVIRONMENT_FILE: ${path} cannot be read: ${(error as Error).message}`);
  }
}
