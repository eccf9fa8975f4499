import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EmbeddedOptions } from './options.ts';
import { databaseOsUser, type OsUser, openPrograms, run, unusable } from './programs.ts';

/** A data folder, its subfolder `home` with the files of the database, and the OS user that runs the server. */
export interface Cluster extends EmbeddedOptions<string> {
  readonly home: string;
  readonly pgdata: string;
  readonly user: OsUser | undefined;
}

/** Creates a missing data folder, without a database. An existing folder keeps its permissions. */
export async function openFolder(options: EmbeddedOptions<string>): Promise<Cluster> {
  const folder = resolve(options.folder);
  const home = join(folder, 'cluster');
  const pgdata = join(home, 'pgdata');
  const user = await databaseOsUser(pgdata);
  // Another OS user of the database may enter new folders.
  await run('/bin/sh', ['-c', `umask ${user ? '066' : '077'}; mkdir -p "$1"`, 'sh', folder]);
  return { ...options, folder, home, pgdata, user };
}

/** Reads the passwords of the roles and of the superuser. @throws EmbeddedError if the file is missing or damaged */
export async function readPasswords({ folder, home }: Cluster): Promise<Record<string, string>> {
  const text = files.readFile(`${home}/passwords.json`, 'utf8');
  return await text.then(JSON.parse).catch(() => {
    throw unusable(folder, `${home} is not a whole database`);
  });
}

/** Creates a missing database. Needs the lock. @returns the server's program @throws EmbeddedError */
export async function prepareCluster(cluster: Cluster): Promise<string> {
  const { folder, home, pgdata } = cluster;
  const { bin, version } = await openPrograms(cluster.user);
  if (!existsSync(home)) await createCluster(cluster, bin);
  await readPasswords(cluster);
  const made = (await files.readFile(`${pgdata}/PG_VERSION`, 'utf8')).trim();
  const ours = version.split('.')[0];
  if (made === ours) return join(bin, 'postgres');
  const reason = `it was made by PostgreSQL ${made}, this version brings PostgreSQL ${ours}, and nothing was changed`;
  throw unusable(folder, reason, 'run the version of the program that made it');
}

/** Creates the cluster atomically, by a rename. Each draft has a new name: a killed initdb may write for a second. */
async function createCluster(cluster: Cluster, bin: string): Promise<void> {
  const { home, user, roles } = cluster;
  const draft = await files.mkdtemp(`${home}.new-`);
  const pgdata = join(draft, 'pgdata');
  const write = (path: string, text: string) => files.writeFile(path, text, { mode: 0o600, flush: true });
  try {
    await files.mkdir(pgdata, 0o700);
    await files.chmod(draft, user ? 0o711 : 0o700);
    if (user) await files.chown(pgdata, user.uid, user.gid);
    // 192 random bits in letters, digits, `-` and `_`, which need no quoting.
    const random = (role: string) => [role, randomBytes(24).toString('base64url')];
    const passwords = Object.fromEntries(['superuser', ...Object.keys(roles)].map(random));
    await write(`${draft}/passwords.json`, `${JSON.stringify(passwords, null, 2)}\n`);
    await run(`${bin}/initdb`, ['-D', pgdata, '-E', 'UTF8', '--locale', 'C', '-U', 'postgres'], user);
    await write(`${pgdata}/pg_hba.conf`, 'host all all 127.0.0.1/32 scram-sha-256\n');
    const single = ['--single', '-D', pgdata, '-c', 'exit_on_error=on', 'template1'];
    await run(`${bin}/postgres`, single, user, firstStatements(cluster, passwords));
    await files.rename(draft, home);
  } finally {
    // Removes the drafts of killed processes, too.
    await run('/bin/sh', ['-c', 'rm -rf "$1".new-*', 'sh', home]).catch(() => {});
  }
}

/** One statement a line, as single-user mode requires. They run in template1, which new databases copy. */
function firstStatements({ database, roles }: Cluster, passwords: Record<string, string>): string {
  const quoted = (text = '') => `"${text.replaceAll('"', '""')}"`;
  const all = Object.values(roles).map(quoted).join(', ');
  const create = (role: string) => `CREATE ROLE ${quoted(roles[role])} LOGIN PASSWORD '${passwords[role]}'`;
  return `
    ALTER ROLE postgres PASSWORD '${passwords.superuser}'
    ${Object.keys(roles).map(create).join('\n')}
    REVOKE ALL ON SCHEMA public FROM PUBLIC
    GRANT USAGE ON SCHEMA public TO ${all}
    -- These can fill the disk.
    REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC
    REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text, boolean) FROM PUBLIC
    REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, bytea, boolean) FROM PUBLIC
    CREATE DATABASE ${quoted(database)} OWNER ${quoted(roles.owner)}
    REVOKE ALL ON DATABASE ${quoted(database)}, postgres, template1 FROM PUBLIC
    GRANT CONNECT ON DATABASE ${quoted(database)} TO ${all}
  `;
}
