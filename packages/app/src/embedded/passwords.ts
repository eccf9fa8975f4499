import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/sql';
import { ClearError } from '../clear-error.ts';

export type EmbeddedUser = Role | 'superuser';
export type Passwords = Record<EmbeddedUser, string>;

/** The name in the database of each of its users. */
export const userNames: Record<EmbeddedUser, string> = { superuser: 'postgres', ...roles };

const everyUser = Object.keys(userNames) as EmbeddedUser[];

/** New passwords of 192 random bits, in letters, digits, `-` and `_`: they need no quoting anywhere. */
export function makePasswords(): Passwords {
  return Object.fromEntries(
    everyUser.map((user) => [user, randomBytes(24).toString('base64url')]),
  ) as Passwords;
}

export async function writePasswords(file: string, passwords: Passwords): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(`${JSON.stringify(passwords, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws a ClearError for a file that is not what was written, and a file system's error as it is. */
export async function readPasswords(file: string): Promise<Passwords> {
  const text = await readFile(file, 'utf8');
  let found: Partial<Passwords> = {};
  try {
    found = JSON.parse(text) as Partial<Passwords>;
  } catch {
    // Falls through: it then lacks every password.
  }
  if (everyUser.every((user) => typeof found?.[user] === 'string')) return found as Passwords;
  throw new ClearError(
    `The embedded database's passwords in ${file} are damaged: bring the file back from a backup.`,
  );
}
