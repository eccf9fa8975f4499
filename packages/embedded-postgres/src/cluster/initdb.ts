import { userInfo } from 'node:os';
import type { Binaries } from '../programs/binaries.ts';
import { EmbeddedError, oneLine, orYourOwn } from '../programs/errors.ts';
import { type Ended, type OsUser, run } from '../programs/program.ts';
import { type Passwords, type Roles, superuser } from './passwords.ts';

export const databaseName = 'campaign_mirror';

/** Creates a cluster with the roles and their database in the empty folder `pgdata`. @throws EmbeddedError */
export async function initialise(
  binaries: Binaries,
  user: OsUser | undefined,
  pgdata: string,
  passwordFile: string,
  roles: Roles,
  passwords: Passwords,
  durable: boolean,
): Promise<void> {
  if (user === undefined) expectNamedUser();
  // Written without syncing; synced once at the end.
  const cluster = ['-D', pgdata, '-E', 'UTF8', '--locale', 'C', '--no-sync', '--no-instructions'];
  const access = ['-U', superuser, '--pwfile', passwordFile, '-A', 'scram-sha-256'];
  check(await run(binaries.initdb, [...cluster, ...access], user), pgdata);

  const quiet = ['-c', 'log_min_messages=fatal', '-c', 'log_min_error_statement=panic'];
  const single = ['--single', '-D', pgdata, '-c', 'exit_on_error=on', '-c', 'fsync=off', ...quiet];
  const statements = firstStatements(roles, passwords).map((statement) => `${statement}\n`);
  check(await run(binaries.postgres, [...single, 'template1'], user, statements.join('')), pgdata);
  if (durable) check(await run(binaries.initdb, ['-D', pgdata, '--sync-only'], user), pgdata);
}

/** PostgreSQL's initdb requires that its OS user has a name. In containers a user ID may have none. */
function expectNamedUser(): void {
  try {
    userInfo();
  } catch {
    throw new EmbeddedError(
      `The embedded database cannot be created by the OS user ${process.getuid?.()}, who has no entry in /etc/passwd: run as a user who has one, or ${orYourOwn}.`,
    );
  }
}

/** One line each, as single-user mode requires. They run in template1, which new databases copy. */
function firstStatements(roles: Roles, passwords: Passwords): string[] {
  const names = Object.values(roles).join(', ');
  return [
    ...Object.entries(roles).map(([role, name]) => `CREATE ROLE ${name} LOGIN PASSWORD '${passwords[role]}'`),
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `GRANT USAGE ON SCHEMA public TO ${names}`,
    `CREATE DATABASE ${databaseName} OWNER ${roles.owner}`,
    `REVOKE ALL ON DATABASE ${databaseName}, postgres, template1 FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${databaseName} TO ${names}`,
  ];
}

function check({ code, output, errors }: Ended, pgdata: string): void {
  if (code === 0) return;
  const lines = `${output}\n${errors}`.split('\n');
  const why =
    lines.find((line) => /\b(error|FATAL|PANIC):/.test(line)) ?? lines.findLast((line) => line.trim());
  throw new EmbeddedError(
    `The embedded database cannot be created in ${pgdata} (${oneLine(why ?? `exit code ${code}`)}): choose another folder with DATA_DIR, or ${orYourOwn}.`,
  );
}
