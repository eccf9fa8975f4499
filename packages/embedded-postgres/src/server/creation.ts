import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByRole, type Cluster, makeFolders, makePasswords, notWhole, readPasswords } from './cluster.ts';
import { advice, EmbeddedError, oneLine } from './errors.ts';
import { findPrograms, type Programs, passageMode, programIn, reachable, run } from './programs.ts';

export const superuser = 'postgres';

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
  const version = await readFile(join(cluster.pgdata, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version === undefined) throw notWhole(cluster.home);
  await readPasswords(cluster.home, contents.roles);
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
  const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5 });
  for (const name of await readdir(real)) {
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
    await writeFile(passwordFile, passwords.superuser ?? '', { mode: 0o600 });
    if (user) {
      for (const path of [pgdata, passwordFile]) await chown(path, user.uid, user.gid);
    }

    // The files are written without syncing, and synced once at the end.
    const cluster = ['-D', pgdata, '-E', 'UTF8', '--locale', 'C', '--no-sync', '--no-instructions'];
    const access = ['-U', superuser, '--pwfile', passwordFile, '-A', 'scram-sha-256'];
    await program('initdb', [...cluster, ...access]);
    const quiet = ['-c', 'log_min_messages=fatal', '-c', 'log_min_error_statement=panic'];
    const single = ['--single', '-D', pgdata, '-c', 'exit_on_error=on', '-c', 'fsync=off', ...quiet];
    await program('postgres', [...single, 'template1'], firstStatements(database, roles, passwords));
    if (durable) await program('initdb', ['-D', pgdata, '--sync-only']);

    await rm(passwordFile);
    if (durable) await syncFolder(draft);
    await rename(draft, home);
    if (durable) await syncFolder(real);
  } catch (error) {
    await remove(draft);
    throw error;
  }
}

/** The statements, one a line, as single-user mode requires. They run in template1, which new databases copy. */
function firstStatements(database: string, roles: ByRole, passwords: ByRole): string {
  const names = Object.values(roles).join(', ');
  const lines = [
    ...Object.entries(roles).map(([role, name]) => `CREATE ROLE ${name} LOGIN PASSWORD '${passwords[role]}'`),
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `GRANT USAGE ON SCHEMA public TO ${names}`,
    // They can fill the disk.
    'REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC',
    `CREATE DATABASE ${database} OWNER ${roles.owner}`,
    `REVOKE ALL ON DATABASE ${database}, postgres, template1 FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${database} TO ${names}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Makes new and renamed files in the folder survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
