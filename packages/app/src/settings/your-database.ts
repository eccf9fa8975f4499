import { userInfo } from 'node:os';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { databaseTls, type Tls } from './database-tls.ts';
import { databaseUrlParts, type TlsParameters } from './database-url.ts';
import type { Mistake } from './setting-mistake.ts';
import type { SettingName, Settings } from './settings.ts';

export interface YourDatabase {
  readonly address: DatabaseAddress & { readonly host: string; readonly port: number };
  readonly tls: 'disable' | 'require' | 'verify-ca' | 'verify-full';
}

/** Whether your own PostgreSQL is configured; otherwise the embedded one is used. */
export function isYours({ DATABASE_URL, PGHOST }: Settings): boolean {
  return DATABASE_URL !== undefined || PGHOST !== undefined;
}

/**
 * The database of DATABASE_URL, else of PGHOST; the other PG* variables fill in what that leaves out, as with
 * PostgreSQL's own programs. Every field is set, so that the driver reads no other variable.
 * @throws ClearError when a named file cannot be read, or the TLS parameters are invalid
 */
export function yourDatabase(read: Settings): YourDatabase {
  const { place, tls } = understood(read);
  if ('wrong' in tls) throw new ClearError(lineOf(read, tls), 'usage');
  const user = place.user ?? read.PGUSER ?? userInfo().username;
  const password = place.password ?? read.PGPASSWORD;
  const direct = place.tls.sslnegotiation === 'direct' && tls.mode !== 'disable';
  return {
    tls: tls.mode,
    address: {
      host: hostOf(read),
      port: place.port ?? read.PGPORT ?? 5432,
      user,
      database: place.database ?? read.PGDATABASE ?? user,
      ...(password !== undefined && { password }),
      ssl: tls.ssl,
      sslnegotiation: direct ? 'direct' : 'postgres',
      ...(read.DATABASE_POOLER === 'transaction' && { pooled: true }),
    },
  };
}

/** What is wrong with the settings of your own database. */
export function yourDatabaseFaults(read: Settings): Mistake[] {
  if (!isYours(read)) return [];
  const { tls } = understood(read);
  if (!('wrong' in tls)) return [];
  return [{ about: [settingOf(read, tls.parameter)], line: lineOf(read, tls) }];
}

function understood(read: Settings) {
  const place = partsOf(read);
  // A socket is never encrypted.
  const isSocket = hostOf(read).startsWith('/');
  const tls: Tls = isSocket ? { mode: 'disable', ssl: false } : databaseTls(parametersOf(read), hostOf(read));
  return { place, tls };
}

function partsOf({ DATABASE_URL }: Settings) {
  return (DATABASE_URL === undefined ? undefined : databaseUrlParts(DATABASE_URL)) ?? { tls: {} };
}

function hostOf(read: Settings): string {
  return partsOf(read).host ?? read.PGHOST ?? 'localhost';
}

function parametersOf(read: Settings): TlsParameters {
  const { PGSSLMODE: sslmode, PGSSLROOTCERT: sslrootcert } = read;
  return { ...(sslmode && { sslmode }), ...(sslrootcert && { sslrootcert }), ...partsOf(read).tls };
}

const ofVariables = { sslmode: 'PGSSLMODE', sslrootcert: 'PGSSLROOTCERT' } as const;

/** The origin of a parameter: the URL, or a variable. */
function settingOf(read: Settings, parameter: keyof TlsParameters): SettingName {
  if (partsOf(read).tls[parameter] !== undefined) return 'DATABASE_URL';
  return parameter in ofVariables ? ofVariables[parameter as keyof typeof ofVariables] : 'DATABASE_URL';
}

function lineOf(read: Settings, { parameter, wrong }: Extract<Tls, { wrong: string }>): string {
  return `${settingOf(read, parameter)}: ${wrong}`;
}
