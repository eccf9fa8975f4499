import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { EmbeddedError } from '../programs/errors.ts';

/** The names of the database roles of a new cluster; the owner's role owns the database. */
export interface Roles {
  readonly owner: string;
  readonly [role: string]: string;
}

/** The database superuser. */
export const superuser = 'postgres';

/** By role. */
export interface Passwords {
  readonly superuser: string;
  readonly [role: string]: string;
}

/** New passwords of 192 random bits, in letters, digits, `-` and `_`: they need no quoting anywhere. */
export function makePasswords(roles: Roles): Passwords {
  const made = Object.keys(roles).map((role) => [role, newPassword()]);
  return { superuser: newPassword(), ...Object.fromEntries(made) };
}

const newPassword = () => randomBytes(24).toString('base64url');

export async function writePasswords(file: string, passwords: Passwords): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await handle.chmod(0o600);
  await handle.writeFile(`${JSON.stringify(passwords, null, 2)}\n`);
  await handle.sync();
}

/** @throws EmbeddedError if the file is damaged, or the error of the file system */
export async function readPasswords(file: string, roles: Roles): Promise<Passwords> {
  const text = await readFile(file, 'utf8');
  let found: Partial<Passwords> = {};
  try {
    found = JSON.parse(text) as Partial<Passwords>;
  } catch {
    // Treated as a file without passwords.
  }
  const users = ['superuser', ...Object.keys(roles)];
  if (users.every((user) => typeof found?.[user] === 'string')) return found as Passwords;
  throw new EmbeddedError(
    `The embedded database's passwords in ${file} are damaged: bring the file back from a backup.`,
  );
}
