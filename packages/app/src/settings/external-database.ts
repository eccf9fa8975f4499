import { X509Certificate } from 'node:crypto';
import { userInfo } from 'node:os';
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { parseIntoClientConfig } from 'pg-connection-string';
import { type Settings, settings } from './settings.ts';

/** The modes of libpq, except `allow` and `prefer`, which guarantee nothing: they continue without TLS if the server has none. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Whether your own PostgreSQL is configured; otherwise the embedded one is used. */
export function isExternal({ DATABASE_URL, PGHOST }: Settings): boolean {
  return DATABASE_URL !== undefined || PGHOST !== undefined;
}

/**
 * The database of DATABASE_URL, otherwise of PGHOST. The other PG* variables supply what that leaves out, as with
 * PostgreSQL's own programs. Every field is set, so that the driver reads no other variable. `tls` is libpq's mode.
 * @throws Error when the URL or its TLS parameters are invalid, or a file that they name cannot be used
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
      // The host is set because versions of the driver before 8.23.1, one of which MikroORM has, otherwise check the
      // certificate of an IP address for `localhost`.
      ssl: tls === 'disable' ? false : { ...url.ssl, ...(tls === 'verify-full' && { host }) },
      sslnegotiation: tls !== 'disable' && url.sslnegotiation === 'direct' ? 'direct' : 'postgres',
      ...(read.DATABASE_POOLER === 'transaction' && { pooled: true }),
    },
  };
}

/** @throws Error if the user has a number but no name, as in a container that runs as any user */
function userOfSystem(): string {
  try {
    return userInfo().username;
  } catch {
    throw new Error(
      `PGUSER must be set, or DATABASE_URL name a user: the user of the operating system, ${process.getuid?.()}, has no name`,
    );
  }
}

/** The parameters that are accepted. The driver would ignore any other, even one that is meant to protect. */
const parameters =
  'host, port, user, password, application_name, connect_timeout, uselibpqcompat, ssl, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation';

/** What DATABASE_URL says, with the TLS options of the driver. @throws Error */
function parsedUrl(read: Settings) {
  const [place, query] = (read.DATABASE_URL ?? 'postgres://').split(/\?(.*)/);
  const given: Record<string, string> = Object.fromEntries(new URLSearchParams(query));
  const others = Object.keys(given).filter((name) => !parameters.split(', ').includes(name));
  if (others.length > 0 || !given.sslcert !== !given.sslkey) {
    const line = `DATABASE_URL must have no parameters but ${parameters}, and sslcert with sslkey`;
    // Otherwise a part of a password with a & or a ? in it may look like a name.
    const mayShow = !('password' in given) && /@|^\w+:\/\/[^:]*(?::\d*)?(?:\/|$)/.test(place ?? '');
    const names = others.filter((name) => /^\w{1,40}$/.test(name)).join(', ');
    throw new Error(mayShow && names ? `${line}: leave out ${names}` : line);
  }
  const sslrootcert = given.sslrootcert || read.PGSSLROOTCERT || '';
  const sslmode = sslModeOf(given, sslrootcert, read.PGSSLMODE);
  if (!modes.includes(sslmode)) throw new Error(`sslmode or PGSSLMODE must be ${modes.join(', ')}`);
  if (sslmode === 'verify-ca' && !sslrootcert)
    throw new Error('sslmode=verify-ca needs the file of a CA: sslrootcert or PGSSLROOTCERT');
  const isSystem = sslmode === 'verify-full' && sslrootcert === 'system';
  const { ssl: _, ...rest } = given;
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
    throw new Error(isOfFile ? unusable : invalid);
  }
}

function sslModeOf(
  given: Readonly<Record<string, string>>,
  sslrootcert: string,
  variable: string | undefined,
): string {
  if (given.sslmode) return given.sslmode;
  if (given.ssl === 'false' || given.ssl === '0') return 'disable';
  const isTlsInUrl = Object.keys(given).some((name) => name.startsWith('ssl'));
  // The URL counts more: a variable does not switch off the TLS that it asks for.
  if (variable && !(isTlsInUrl && variable === 'disable')) return variable;
  // TLS without a mode is checked as far as possible.
  return isTlsInUrl || sslrootcert !== '' ? 'verify-full' : 'disable';
}
