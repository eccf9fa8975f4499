/** An error with a message for the user: one line without secrets that says what is wrong and what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

export const orYourOwn = 'set DATABASE_URL to use a PostgreSQL of your own';

/** A text as one line of at most 300 characters, for an `EmbeddedError`. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}

const causes: Record<string, string> = {
  EACCES: 'this OS user may not read or write it; give it that right',
  EPERM: 'this OS user may not do this with it; give it that right',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'no space is left on its disk; free some',
  EDQUOT: 'the disk quota is used up; free some space',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'it is a file, not a folder',
  ENAMETOOLONG: 'its path is too long',
};

/** What a file system's error on the data folder means to its owner; errors of another kind come back as they are. */
export function fileTrouble(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  if (error instanceof EmbeddedError || code === undefined || !(error instanceof Error && 'syscall' in error))
    return error;
  const cause = causes[code] ?? oneLine(error.message);
  const at = 'path' in error && error.path !== folder ? ` at ${error.path}` : '';
  return new EmbeddedError(
    `The data folder ${folder} cannot be used (${code}${at}): ${cause}, choose another folder with DATA_DIR, or ${orYourOwn}.`,
  );
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * Whether the database stopped, is stopping or has not started yet, so that trying again makes sense:
 * SQLSTATE classes 08, 53 and 57P, a lock not given in time, any socket error, and node-postgres' errors without a code.
 */
export function isAbsence(error: unknown): boolean {
  if (error instanceof EmbeddedError || !(error instanceof Error)) return false;
  const code = codeOf(error);
  return code === undefined || /^(08|53|57P|55P03)/.test(code) || /^E[A-Z]+$/.test(code);
}
