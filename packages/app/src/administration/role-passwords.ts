import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClearError, writeNewFile } from '@campaign-mirror/adapters-cli/terminal';
import type { CreatedRole } from '@campaign-mirror/adapters-persistence/sql';

/** One folder per role, so that each can be given to its own program only. */
export function passwordFile(folder: string, role: CreatedRole['role']): string {
  return join(folder, role, 'password');
}

/**
 * Writes the passwords of the new roles, readable by this user only. An existing file belongs to a role that no longer
 * exists, or to a failed attempt.
 * @throws ClearError when one cannot be written
 */
export async function writePasswords(created: readonly CreatedRole[], folder: string): Promise<void> {
  for (const { role, password } of created) {
    if (password === undefined) continue;
    const path = passwordFile(folder, role);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(({ code }: NodeJS.ErrnoException) => {
      throw new ClearError(`${dirname(path)} cannot be made (${code}): no role was created`);
    });
    await writeNewFile(path, contents(password), { replace: true, otherwise: '' });
  }
}

async function* contents(password: string): AsyncGenerator<string> {
  yield `${password}\n`;
}
