import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { advice, EmbeddedError, oneLine } from './errors.ts';
import {
  databaseOsUser,
  findPrograms,
  type OsUser,
  type Programs,
  passageMode,
  programIn,
  reachable,
  run,
} from './programs.ts';

/**
 * Creates the folder and missing parents with this mode, and keeps others. Node's `recursive` never ends in /proc, and says
 * of a file system that is read only that there is no such folder.
 */
async function makeFolders(folder: string, mode: number): Promise<void> {
  const exists = async () => (await files.stat(folder).catch(() => undefined))?.isDirectory();
  if (await exists()) return;
  await makeFolders(dirname(folder), mode);
  try {
    await files.mkdir(folder, mode);
    // The umask reduces the mode given to mkdir; this sets the intended one.
    await files.chmod(folder, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!(await exists())) throw error;
  }
}

/** Names or passwords of the database roles. `owner` owns the database; the `superuser` has a password only. */
export type ByRole = Readonly<Record<string, string>>;

/** Where the files of an embedded database are, and the OS user that runs it. */
export interface Cluster {
  /** The data folder, as the options name it. */
  readonly folder: string;
  /** The data folder without symbolic links, as it is in the command line by which a running server is recognized. */
  readonly real: string;
  readonly home: string;
  readonly pgdata: string;
  readonly user: OsUser | undefined;
}

/** Finds the data folder or creates it, without a database. An existing folder keeps its permissions. */
export async function prepareFolder(path: string): Promise<Cluster> {
  const folder = resolve(path);
  const user = await databaseOsUser(join(folder, 'cluster', 'pgdata'));
  await makeFolders(folder, passageMode(user));
  const real = await files.realpath(folder);
  const home = join(real, 'cluster');
  return { folder, real, home, pgdata: join(home, 'pgdata'), user };
}

/** Creates the file of passwords of 192 random bits, in letters, digits, `-` and `_`: they need no quoting anywhere. */
async function makePasswords(home: string, roles: ByRole): Promise<ByRole> {
  const users = ['superuser', ...Object.keys(roles)];
  const passwords = Object.fromEntries(users.map((user) => [user, randomBytes(24).toString('base64url')]));
  await using file = await files.open(passwordsIn(home), 'wx', 0o600);
  await file.writeFile(`${JSON.stringify(passwords, null, 2)}\n`);
  await file.sync();
  return passwords;
}

/** The name and the password of each role, and of the superuser. @throws EmbeddedError if the file is missing or damaged */
export async function credentialsIn(home: string, roles: ByRole) {
  const passwords = await files
    .readFile(passwordsIn(home), 'utf8')
    .then(JSON.parse)
    .catch(() => ({}));
  if (['superuser', ...Object.keys(roles)].some((user) => typeof passwords[user] !== 'string'))
    throw notWhole(home);
  return (user: string) => ({ user: roles[user] ?? superuser, password: passwords[user] as string });
}

const notWhole = (home: string) =>
  new EmbeddedError(
    `The folder ${home} is not a whole database: restore it from a backup, move it away to start with an empty one, or ${advice.otherFolder}.`,
  );

const passwordsIn = (home: string) => join(home, 'passwords.json');

const superuser = 'postgres';

interface Contents {
  readonly database: string;
  readonly roles: ByRole;
}

/** Creates the database if there is none. Call it with the lock. @returns the server's program @throws EmbeddedError */
export async function prepareCluster(
  cluster: Cluster,
  contents: Contents,
  durable: boolean,
): Promise<string> {
  const programs = await reachable(await findPrograms(), cluster.user);
  if (!existsSync(cluster.home)) await createCluster(cluster, programs, contents, durable);
  const version = await files.readFile(join(cluster.pgdata, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version === undefined) throw notWhole(cluster.home);
  await credentialsIn(cluster.home, contents.roles);
  const ofFolder = version.trim();
  const ours = programs.version.split('.')[0];
  if (ofFolder === ours) return programIn(programs, 'postgres');
  throw new EmbeddedError(
    `The data folder ${cluster.folder} was made by PostgreSQL ${ofFolder}, this version of the program brings PostgreSQL ${ours}, and nothing was changed: run the version that made it, or start it with PostgreSQL ${ofFolder}, copy it with that version's pg_dump, and load the copy into a new folder (${advice.otherFolder}) or another server (${advice.otherServer}).`,
  );
}

/**
 * Creates the cluster atomically: as a draft in a folder beside it, which is then renamed. If a process is killed, the next
 * one removes its draft, and uses another name, because the initdb of the killed process may still be writing.
 * @throws EmbeddedError, or a file system error
 */
async function createCluster(
  { real, home, user }: Cluster,
  programs: Programs,
  { database, roles }: Contents,
  durable: boolean,
): Promise<void> {
  const remove = (path: string) => files.rm(path, { recursive: true, force: true, maxRetries: 5 });
  for (const name of await files.readdir(real)) {
    if (name.startsWith('cluster.new-')) await remove(join(real, name));
  }
  const draft = `${home}.new-${randomBytes(4).toString('hex')}`;
  const pgdata = join(draft, 'pgdata');
  const passwordFile = join(draft, 'superuser');
  const program = async (name: 'initdb' | 'postgres', words: string[], input?: string) => {
    const { failed, output, errors } = await run(programIn(programs, name), words, user, input);
    if (!failed) return;
    const why = /\b(error|FATAL|PANIC): .*/.exec(`${output}\n${errors}`)?.[0] ?? errors;
    const as = user ? `, as the OS user ${user.name} because it cannot run as root` : '';
    // In a container that runs as any user.
    const isNameless = why.includes('could not look up effective user ID');
    const remedy = isNameless ? 'give this user a name in /etc/passwd' : advice.otherFolder;
    throw new EmbeddedError(
      `The embedded database cannot be created in ${pgdata}${as} (${oneLine(why)}): ${remedy}, or ${advice.otherServer}.`,
    );
  };
  try {
    await makeFolders(draft, passageMode(user));
    await makeFolders(pgdata, 0o700);
    const passwords = await makePasswords(draft, roles);
    await files.writeFile(passwordFile, passwords.superuser ?? '', { mode: 0o600 });
    if (user) {
      for (const path of [pgdata, passwordFile]) await files.chown(path, user.uid, user.gid);
    }

    // The files are written without syncing, and synced once at the end.
    const cluster = ['-D', pgdata, '-E', 'UTF8', '--locale', 'C', '--no-sync', '--no-instructions'];
    const access = ['-U', superuser, '--pwfile', passwordFile, '-A', 'scram-sha-256'];
    await program('initdb', [...cluster, ...access]);
    const quiet = ['-c', 'log_min_messages=fatal', '-c', 'log_min_error_statement=panic'];
    const single = ['--single', '-D', pgdata, '-c', 'exit_on_error=on', '-c', 'fsync=off', ...quiet];
    await program('postgres', [...single, 'template1'], firstStatements(database, roles, passwords));
    if (durable) await program('initdb', ['-D', pgdata, '--sync-only']);

    await files.rm(passwordFile);
    if (durable) await syncFolder(draft);
    await files.rename(draft, home);
    if (durable) await syncFolder(real);
  } catch (error) {
    await remove(draft);
    throw error;
  }
}

/** The statements, one a line, as single-user mode requires. They run in template1, which new databases copy. */
function firstStatements(name: string, roles: ByRole, passwords: ByRole): string {
  const database = quoted(name);
  const names = Object.values(roles).map(quoted).join(', ');
  const lines = [
    ...Object.keys(roles).map(
      (role) => `CREATE ROLE ${quoted(roles[role])} LOGIN PASSWORD '${passwords[role]}'`,
    ),
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `GRANT USAGE ON SCHEMA public TO ${names}`,
    // They can fill the disk.
    'REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC',
    `CREATE DATABASE ${database} OWNER ${quoted(roles.owner)}`,
    `REVOKE ALL ON DATABASE ${database}, postgres, template1 FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${database} TO ${names}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const quoted = (name = '') => `"${name.replaceAll('"', '""')}"`;

/** Makes new and renamed files in the folder survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await files.open(folder, 'r');
  await handle.sync();
}
