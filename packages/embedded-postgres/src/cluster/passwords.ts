import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { EmbeddedError } from '../programs/errors.ts';

/** The names of the database roles of a new cluster; the owner's role owns the database. */
export type Roles = Readonly<Record<string, string> & { owner: string }>;

/** By role, and of the superuser. */
export type Passwords = Readonly<Record<string, string>>;

/** The name of the superuser. */
export const superuser = 'postgres';

/** New passwords of 192 random bits, in letters, digits, `-` and `_`: they need no quoting anywhere. */
export function makePasswords(roles: Roles): Passwords {
  const users = ['superuser', ...Object.keys(roles)];
  return Object.fromEntries(users.map((user) => [user, randomBytes(24).toString('base64url')]));
}

export async function writePasswords(path: string, passwords: Passwords): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(`${JSON.stringify(passwords, null, 2)}\n`);
  await file.sync();
}

/** @throws EmbeddedError if the file is damaged, or the error of the file system */
export async function readPasswords(path: string, roles: Roles): Promise<Passwords> {
  const text = await readFile(path, 'utf8');
  try {
    const found = JSON.parse(text);
    if (['superuser', ...Object.keys(roles)].every((user) => typeof found[user] === 'string')) return found;
  } catch {
    // As damaged as one without passwords.
  }
  throw new EmbeddedError(
    `The embedded database's passwords in ${path} are damaged: bring the file back from a backup.`,
  );
}
