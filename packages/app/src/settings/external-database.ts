import { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { type Settings, settings } from './settings-table.ts';

/** The modes of libpq, except `allow` and `prefer`, which continue without TLS if the server has none. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** The accepted parameters. The driver would ignore any other, even one that is meant to protect. */
const parameters =
  'host, port, user, password, application_name, connect_timeout, uselibpqcompat, ' +
  'ssl, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation';

/** Whether the settings name a PostgreSQL of your own; otherwise the embedded one is used. */
export function isExternal({ DATABASE_URL, PGHOST }: Settings): boolean {
  return DATABASE_URL !== undefined || PGHOST !== undefined;
}

/** The database of DATABASE_URL or PGHOST; the driver adds libpq's variables. @throws Error, without a secret */
export function externalDatabase(read: Settings): DatabaseAddress {
  const url = parsedUrl(read.DATABASE_URL ?? 'postgres://');
  const named = { host: url.host || read.PGHOST, port: url.port, user: url.user, database: url.database };
  const client = new pg.Client({ ...named, ssl: url.ssl, sslnegotiation: 'postgres' });
  const { host, port, user, database } = client;
  if (!(port >= 1 && port <= 65_535))
    throw new Error('DATABASE_URL or PGPORT must name a port from 1 to 65535');
  if (!user) throw new Error('DATABASE_URL or PGUSER must name a user');
  // A socket is never encrypted.
  const tls = host.startsWith('/') ? false : url.ssl;
  const { PGSSLMODE, PGSSLROOTCERT } = process.env;
  if (PGSSLROOTCERT && tls !== false && !tls?.ca)
    throw new Error(
      'PGSSLROOTCERT is not read: name the CA in DATABASE_URL, as ?sslmode=verify-full&sslrootcert=FILE',
    );
  // The driver would read an unknown mode as `disable`.
  if (PGSSLMODE && tls === undefined && !modes.includes(PGSSLMODE))
    throw new Error(`PGSSLMODE must be ${modes.join(', ')}`);
  const isEncrypted = tls !== false && client.ssl;
  const password = url.password || read.PGPASSWORD;
  return {
    ...{ host, port, user, database },
    ...(password !== undefined && { password }),
    // Without `host`, the driver before 8.23.1 checks the certificate of an IP address for `localhost`; MikroORM has
    // such a version.
    ssl: isEncrypted && { rejectUnauthorized: true, ...tls, host },
    sslnegotiation: isEncrypted && url.sslnegotiation === 'direct' ? 'direct' : 'postgres',
    ...(read.DATABASE_POOLER === 'transaction' && { pooled: true }),
  };
}

/** The parts of the URL; `ssl` is undefined if it does not mention TLS. @throws Error, without a part of the URL */
function parsedUrl(text: string) {
  const [place, query] = text.split(/\?(.*)/);
  const { ssl: onOff, ...given } = Object.fromEntries(new URLSearchParams(query));
  const isKnown = Object.keys(given).every((name) => parameters.split(', ').includes(name));
  if (!isKnown || !given.sslcert !== !given.sslkey)
    throw new Error(`DATABASE_URL must have no parameters but ${parameters}, and sslcert with sslkey`);
  const isOff = onOff === 'false' || onOff === '0';
  const isNamed = onOff !== undefined || Object.keys(given).some((name) => name.startsWith('ssl'));
  // TLS without a mode gets the strictest one.
  const sslmode = given.sslmode || (isOff && 'disable') || (isNamed && 'verify-full');
  if (sslmode && !modes.includes(sslmode)) throw new Error(`sslmode must be ${modes.join(', ')}`);
  if (sslmode === 'verify-ca' && !given.sslrootcert)
    throw new Error('sslmode=verify-ca needs the file of a CA: sslrootcert');
  const isSystem = sslmode === 'verify-full' && given.sslrootcert === 'system';
  const tls = sslmode && { sslmode, sslrootcert: (!isSystem && given.sslrootcert) || '' };
  const all = new URLSearchParams({ ...given, ...tls, uselibpqcompat: 'true' });
  try {
    const url = parseIntoClientConfig(`${place}?${all}`);
    if (url.host?.includes(',')) throw new Error('not one host');
    if (!sslmode) return { ...url, ssl: undefined };
    if (sslmode === 'disable') return { ...url, ssl: false as const };
    const ssl: ConnectionOptions = { ...(url.ssl as ConnectionOptions) };
    if (isSystem) ssl.ca = getCACertificates('system');
    // Node would accept a file without a certificate, and then trust no server.
    else if (typeof ssl.ca === 'string') new X509Certificate(ssl.ca);
    createSecureContext(ssl);
    return { ...url, ssl };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Other messages may contain parts of the URL.
    if (code === undefined || code === 'ERR_INVALID_URL')
      throw new Error(`DATABASE_URL must be ${settings.DATABASE_URL.accepts}`);
    throw new Error(`sslrootcert, sslcert or sslkey cannot be used: ${message}`);
  }
}
