import { execFile } from 'node:child_process';

/** The OS user that runs the database's programs, if it is not ours (PostgreSQL refuses to run as root). */
export interface OsUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** What every program of the database is started with. */
export function surroundings(user: OsUser | undefined) {
  return {
    // A folder that every OS user can enter; the current one may be closed to the database's user.
    cwd: '/',
    // Messages in English, because they are parsed; and none of our variables, which can contain secrets or PG* settings.
    env: { LC_ALL: 'C', PATH: process.env.PATH ?? '/usr/bin:/bin' },
    // Node takes signed numbers here: macOS' `nobody` is -2, which a file's owner shows as 4294967294.
    ...(user === undefined ? {} : { uid: user.uid | 0, gid: user.gid | 0 }),
  };
}

/** Runs a program to its end; never rejects. `errors` says why it could not be started, too. */
export function run(
  program: string,
  words: string[],
  user?: OsUser,
  input = '',
): Promise<{ failed: boolean; output: string; errors: string }> {
  return new Promise((resolve) => {
    const { stdin } = execFile(program, words, surroundings(user), (error, output, errors) =>
      resolve({ failed: error !== null, output, errors: errors || (error?.message ?? '') }),
    );
    // The program may end before it has read its input: its exit code says what went wrong.
    stdin?.on('error', () => {}).end(input);
  });
}
