import { X509Certificate } from 'node:crypto';
import { userInfo } from 'node:os';
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { parseIntoClientConfig } from 'pg-connection-string';
import { type Settings, settings } from './settings.ts';

/** As in libpq. Its `allow` and `prefer` guarantee nothing, and continue without TLS where there is none. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Whether your own PostgreSQL is configured; otherwise the embedded one is used. */
export function isExternal({ DATABASE_URL, PGHOST }: Settings): boolean {
  return DATABASE_URL !== undefined || PGHOST !== undefined;
}

/**
 * The database of DATABASE_URL, else of PGHOST; the other PG* variables fill in what that leaves out, as with
 * PostgreSQL's own programs. Every field is set, so that the driver reads no other variable. `tls` is libpq's mode.
 * @throws ClearError when the URL or its TLS parameters are invalid, or a file that they name cannot be used
 */
export function externalDatabase(read: Settings): { address: DatabaseAddress; tls: string } {
  const url = parsedUrl(read);
  const host = url.host || read.PGHOST || 'localhost';
  const user = url.user || read.PGUSER || userOfSystem();
  const password = url.password || read.PGPASSWORD;
  // A socket is never encrypted.
  const tls = host.startsWith('/') ? 'disable' : url.sslmode;
  return {
    tls,
    address: {
      host,
      port: url.port ?? read.PGPORT ?? 5432,
      user,
      database: url.database || read.PGDATABASE || user,
      ...(password !== undefined && { password }),
      // With the host, because versions of the driver before 8.23.1, one of which MikroORM has, otherwise check an IP
      // address as `localhost`.
      ssl: tls === 'disable' ? false : { ...url.ssl, ...(tls === 'verify-full' && { host }) },
      sslnegotiation: tls !== 'disable' && url.sslnegotiation === 'direct' ? 'direct' : 'postgres',
      ...(read.DATABASE_POOLER === 'transaction' && { pooled: true }),
    },
  };
}

/** @throws ClearError for a number without a name, as in a container that runs as any */
function userOfSystem(): string {
  try {
    return userInfo().username;
  } catch {
    const line = `PGUSER must be set, or DATABASE_URL name a user: the user of the operating system, ${process.getuid?.()}, has no name`;
    throw new ClearError(line, 'usage');
  }
}

/** Any other would be ignored, however much it was meant to protect. */
const parameters = new Set([
  ...['host', 'port', 'user', 'password', 'application_name', 'connect_timeout', 'uselibpqcompat'],
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'],
]);

function parsedUrl(read: Settings) {
  const [place, query] = (read.DATABASE_URL ?? 'postgres://').split(/\?(.*)/);
  const named: Record<string, string> = Object.fromEntries(new URLSearchParams(query));
  const others = Object.keys(named).filter((name) => !parameters.has(name));
  if (others.length > 0 || !named.sslcert !== !named.sslkey) {
    const line = `DATABASE_URL must have no parameters but ${[...parameters].join(', ')}, and sslcert with sslkey`;
    // Otherwise, what looks like a name may be a part of a password that holds a & or a ?.
    const mayShow = !('password' in named) && /@|^\w+:\/\/[^:]*(?::\d*)?(?:\/|$)/.test(place ?? '');
    const shown = others.filter((name) => /^\w{1,40}$/.test(name)).join(', ');
    throw new ClearError(mayShow && shown ? `${line}: leave out ${shown}` : line, 'usage');
  }
  if (!['true', 'false', '1', '0', undefined].includes(named.ssl)) {
    throw new ClearError('ssl in DATABASE_URL must be true or false; sslmode says more', 'usage');
  }
  const sslrootcert = named.sslrootcert || read.PGSSLROOTCERT || '';
  // Whoever names any part of TLS without a mode gets all that can be checked.
  const isInUrl = Object.keys(named).some((name) => name.startsWith('ssl'));
  const isOff = named.ssl === 'false' || named.ssl === '0';
  // The URL counts more: a variable does not undo what it says of TLS.
  const ofVariable = isInUrl && read.PGSSLMODE === 'disable' ? '' : read.PGSSLMODE;
  const otherwise = isInUrl || sslrootcert !== '' ? 'verify-full' : 'disable';
  const sslmode = named.sslmode || (isOff ? 'disable' : ofVariable || otherwise);
  if (!modes.includes(sslmode)) {
    throw new ClearError(`sslmode or PGSSLMODE must be ${modes.join(', ')}`, 'usage');
  }
  if (sslmode === 'verify-ca' && !sslrootcert) {
    throw new ClearError('sslmode=verify-ca needs the file of a CA: sslrootcert or PGSSLROOTCERT', 'usage');
  }
  const isSystem = sslmode === 'verify-full' && sslrootcert === 'system';
  const { ssl: _, ...rest } = named;
  const all = { ...rest, sslmode, sslrootcert: isSystem ? '' : sslrootcert, uselibpqcompat: 'true' };
  try {
    const url = parseIntoClientConfig(`${place}?${new URLSearchParams(all)}`);
    const { host = '', port = 5432 } = url;
    if (host.includes(',') || !(port >= 1 && port <= 65_535)) throw new Error('not one host, or no port');
    const ssl: ConnectionOptions = { rejectUnauthorized: true, ...(url.ssl as ConnectionOptions) };
    if (isSystem) ssl.ca = getCACertificates('system');
    // Node accepts a file without a certificate, and then trusts no server.
    else if (typeof ssl.ca === 'string') new X509Certificate(ssl.ca);
    createSecureContext(ssl);
    return { ...url, sslmode, ssl };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Other messages may contain parts of the URL.
    const isOfFile = code !== undefined && code !== 'ERR_INVALID_URL';
    const unusable = `sslrootcert, sslcert or sslkey cannot be used: ${message}`;
    const invalid = `DATABASE_URL must be ${settings.DATABASE_URL.accepts}`;
    throw new ClearError(isOfFile ? unusable : invalid, 'usage');
  }
}
