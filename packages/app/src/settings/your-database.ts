import { userInfo } from 'node:os';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { databaseTls, type Tls } from './database-tls.ts';
import { type DatabaseUrlParts, databaseUrlParts, type TlsParameters } from './database-url.ts';
import type { Mistake } from './setting-mistake.ts';
import type { SettingName, Settings } from './settings.ts';

interface YourDatabase {
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
  const { place, host, tls } = understood(read);
  if ('wrong' in tls) throw new ClearError(mistakeOf(place, tls).line, 'usage');
  const user = place.user ?? read.PGUSER ?? userInfo().username;
  const password = place.password ?? read.PGPASSWORD;
  const direct = place.tls.sslnegotiation === 'direct' && tls.mode !== 'disable';
  return {
    tls: tls.mode,
    address: {
      host,
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
  const { place, tls } = understood(read);
  return 'wrong' in tls ? [mistakeOf(place, tls)] : [];
}

function understood({ DATABASE_URL, PGHOST, PGSSLMODE: sslmode, PGSSLROOTCERT: sslrootcert }: Settings) {
  const place: DatabaseUrlParts = (DATABASE_URL && databaseUrlParts(DATABASE_URL)) || { tls: {} };
  const host = place.host ?? PGHOST ?? 'localhost';
  const parameters = { ...(sslmode && { sslmode }), ...(sslrootcert && { sslrootcert }), ...place.tls };
  // A socket is never encrypted.
  const tls: Tls = host.startsWith('/') ? { mode: 'disable', ssl: false } : databaseTls(parameters, host);
  return { place, host, tls };
}

const ofVariables: Partial<Record<keyof TlsParameters, SettingName>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
};

/** The setting of a wrong parameter is the URL where it has the parameter, else the parameter's own. */
function mistakeOf(
  { tls }: DatabaseUrlParts,
  { parameter, wrong }: Extract<Tls, { wrong: string }>,
): Mistake {
  const ofUrl = tls[parameter] !== undefined;
  const name = (!ofUrl && ofVariables[parameter]) || 'DATABASE_URL';
  return { about: [name], line: `${name}: ${wrong}` };
}
