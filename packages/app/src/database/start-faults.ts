import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  codeOf,
  type DatabaseAddress,
  isDatabaseAway,
  isHeld,
  oldestServerVersion,
} from '@campaign-mirror/adapters-persistence/sql';
import { Unavailable } from '@campaign-mirror/domain';
import { tlsFault, wantsTls } from './tls-faults.ts';

/** The database's address for messages: no password. */
export type Place = Pick<DatabaseAddress, 'host' | 'port' | 'user' | 'database'>;

/** A standby, or a read-only server: it answers, and rejects writes. */
export const takesNoWrites = {
  code: '25006',
  what: 'takes no writes (a standby, or set to read only)',
  remedy: 'name the primary in DATABASE_URL or PGHOST',
} as const;

export function isFull(code: string): boolean {
  return code.startsWith('53');
}

const full: Readonly<Record<string, string>> = {
  53100: 'space on its disk',
  53200: 'memory',
  53300: 'connection',
};

/** For a code of the class 53: the resource that the server has used up. */
export function whatIsFull(code: string): string {
  return `has no ${full[code] ?? 'room'} left (${code})`;
}

export function nameOf({ host, port, database }: Place): string {
  return `${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

/** Whether a database that failed like this may recover soon: it is starting, full, or cannot be reached. */
export function mayComeBack(error: unknown): boolean {
  const code = codeOf(error);
  return (
    isDatabaseAway(error) &&
    !isRefusal(error) &&
    !code.startsWith('28') &&
    !isRefusedParameter(error) &&
    code !== '3D000' &&
    tlsFault(error) === undefined
  );
}

/** A pooler accepts few startup parameters, and rejects a connection that has any other. */
function isRefusedParameter(error: unknown): error is Error {
  return error instanceof Error && codeOf(error) === '08P01' && error.message.includes('startup parameter');
}

/** Where a pooler rejected the connection's parameters; undefined for any other fault. */
export function poolerFault(error: unknown, place: Place): ClearError | undefined {
  if (!isRefusedParameter(error)) return undefined;
  return new ClearError(
    `the pooler of the database ${nameOf(place)} refuses the connection (${reason(error)}): nothing was done; ` +
      'set DATABASE_POOLER=transaction, or connect to the server itself',
  );
}

/** One clear line for a fault of the database at startup; undefined where it is none that a user can fix. */
export function startFault(error: unknown, place: Place): ClearError | undefined {
  const code = codeOf(error);
  const database = `the database ${nameOf(place)}`;
  const user = `the user ${JSON.stringify(place.user)}`;
  const pooler = poolerFault(error, place);
  if (pooler) return pooler;
  const tls = tlsFault(error);
  if (tls) return new ClearError(`${database} ${tls}`);
  if (wantsTls(error)) {
    const remedy = 'set sslmode=verify-full, or check pg_hba.conf';
    return new ClearError(`${database} lets ${user} in with TLS only, or not at all: ${remedy}`);
  }
  if (code === '28P01' || code === '28000' || isRefusal(error)) {
    return new ClearError(`${database} refuses ${user}: check its name, its password and pg_hba.conf`);
  }
  if (code === '3D000')
    return new ClearError(`${database} does not exist: create it, or correct DATABASE_URL or PGDATABASE`);
  if (code === '42501') return new ClearError(`${user} may not use ${database}: grant it CONNECT`);
  if (code === takesNoWrites.code) {
    const { what, remedy } = takesNoWrites;
    return new ClearError(`${database} ${what}: nothing was done; ${remedy}`, 'away');
  }
  if (isFull(code)) {
    return new ClearError(`${database} ${whatIsFull(code)}: make room there, or raise DATABASE_WAIT`, 'away');
  }
  if (!isDatabaseAway(error)) return undefined;
  const remedy = 'start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT';
  return new ClearError(`${database} cannot be reached (${reason(error)}): ${remedy}`, 'away');
}

/** The same for a fault of a migration. */
export function migrationFault(error: unknown, place: Place): ClearError | undefined {
  const database = `the database ${nameOf(place)}`;
  if (codeOf(error) === '42501') {
    return new ClearError(
      `the user ${JSON.stringify(place.user)} may not migrate ${database}: ` +
        'run `./campaign-mirror migrate` as the owner of the schema, and start with RUN_MIGRATIONS=false',
    );
  }
  if (isHeld(error)) {
    return new ClearError(
      `another transaction of ${database} holds what the migration has to change: nothing was done; end it, or try again later`,
      'away',
    );
  }
  if (codeOf(error) === '57014') {
    const what = `a statement of the migration of ${database} was cancelled`;
    return new ClearError(`${what}: nothing was done; run it again`, 'away');
  }
  if (error instanceof Unavailable) return new ClearError(error.message, 'away');
  return startFault(error, place);
}

/** The server asks for a password, and none is set. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('SASL');
}

export function tooOld(version: number, place: Place): ClearError {
  return new ClearError(
    `the database ${nameOf(place)} is PostgreSQL ${version}: version ${oldestServerVersion} or newer is needed`,
  );
}

/** Values from callers could then fail to be stored, and would fail others in the same statement. */
export function otherEncoding(encoding: string, place: Place): ClearError {
  return new ClearError(
    `the database ${nameOf(place)} is in ${encoding}: make one with encoding UTF8, and move the data there`,
  );
}

/** `rights` are those that the catalog reports as missing. */
export function missingRights(rights: readonly string[], place: Place): ClearError {
  const shown = rights.slice(0, 3).join(', ');
  const more = rights.length > 3 ? ` and ${rights.length - 3} more` : '';
  return new ClearError(
    `the user ${JSON.stringify(place.user)} of the database ${nameOf(place)} lacks a right (${shown}${more}): ` +
      'grant it the role campaign_mirror_service, and run `./campaign-mirror migrate` as the owner of the schema',
  );
}

export function notMigrated(place: Place): ClearError {
  return new ClearError(
    `the database ${nameOf(place)} is not at the version that this service needs: ` +
      'run `./campaign-mirror migrate` as the owner of the schema, or start with RUN_MIGRATIONS=true',
  );
}

/** A message with 08P01 comes from a pooler, and the code adds nothing. */
export function reason(error: unknown): string {
  const code = codeOf(error);
  const said = error instanceof Error ? error.message : 'no answer';
  return code === '08P01' ? `${code}: ${said}` : code || said;
}
