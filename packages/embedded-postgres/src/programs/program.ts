import { spawn } from 'node:child_process';

/** The OS user that runs the database's programs, if it is not ours (PostgreSQL refuses to run as root). */
export interface OsUser {
  name: string;
  uid: number;
  gid: number;
}

export interface Ended {
  /** The exit code; -1 when the program could not be started or ended by a signal. */
  code: number;
  output: string;
  errors: string;
}

/** What `spawn` needs for every program of the database. */
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

/** Runs a program to its end; never rejects. */
export function run(program: string, args: string[], user?: OsUser, input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...surroundings(user), stdio: 'pipe' });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    // The program may end before it has read its input: its exit code says what went wrong.
    child.stdin.on('error', () => {}).end(input);
    child.on('error', (error) => resolve({ code: -1, output, errors: error.message }));
    child.on('close', (code) => resolve({ code: code ?? -1, output, errors }));
  });
}
