import { X509Certificate } from 'node:crypto';
import { userInfo } from 'node:os';
import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import { parseIntoClientConfig } from 'pg-connection-string';
import { type Settings, settings } from './settings.ts';

/** As in libpq. Its `allow` and `prefer` guarantee nothing, and continue without TLS where there is none. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/** What node-postgres writes as `ssl`, as libpq's `sslmode`. */
const modeOf: Readonly<Record<string, string>> = {
  true: 'verify-full',
  1: 'verify-full',
  false: 'disable',
  0: 'disable',
  'no-verify': 'require',
};

interface YourDatabase {
  readonly address: DatabaseAddress & { readonly host: string; readonly port: number };
  readonly tls: (typeof modes)[number];
}

/** Whether your own PostgreSQL is configured; otherwise the embedded one is used. */
export function isYours({ DATABASE_URL, PGHOST }: Settings): boolean {
  return DATABASE_URL !== undefined || PGHOST !== undefined;
}

/**
 * The database of DATABASE_URL, else of PGHOST; the other PG* variables fill in what that leaves out, as with
 * PostgreSQL's own programs. Every field is set, so that the driver reads no other variable.
 * @throws ClearError when the URL or its TLS parameters are invalid, or a file that they name cannot be used
 */
export function yourDatabase(read: Settings): YourDatabase {
  const [place = '', query] = (read.DATABASE_URL ?? 'postgres://').replace(/#.*/, '').split(/\?(.*)/);
  const tls = tlsParameters(Object.fromEntries(new URLSearchParams(query)), read);
  const url = parsedUrl(place, tls);
  const host = url.host || read.PGHOST || 'localhost';
  const user = url.user || read.PGUSER || userInfo().username;
  const password = url.password || read.PGPASSWORD;
  // A socket is never encrypted.
  const mode = host.startsWith('/') ? 'disable' : tls.sslmode;
  return {
    tls: mode === 'require' && tls.sslrootcert ? 'verify-ca' : mode,
    address: {
      host,
      port: url.port ?? read.PGPORT ?? 5432,
      user,
      database: url.database || read.PGDATABASE || user,
      ...(password !== undefined && { password }),
      // With the host, because versions of the driver before 8.23.1, one of which MikroORM has, otherwise check an IP
      // address as `localhost`.
      ssl: mode === 'disable' ? false : { ...url.ssl, ...(mode === 'verify-full' && { host }) },
      sslnegotiation: mode !== 'disable' && tls.sslnegotiation === 'direct' ? 'direct' : 'postgres',
      ...(read.DATABASE_POOLER === 'transaction' && { pooled: true }),
    },
  };
}

/** Whoever names any part of TLS without a mode gets all that can be checked. */
function tlsParameters({ ssl = '', ...given }: Record<string, string>, read: Settings) {
  const { sslrootcert = read.PGSSLROOTCERT ?? '', sslcert = '', sslkey = '', sslnegotiation = '' } = given;
  const byDefault = sslrootcert || sslcert || sslkey || sslnegotiation ? 'verify-full' : 'disable';
  const asked = given.sslmode || ssl || read.PGSSLMODE || byDefault;
  const sslmode = modes.find((one) => one === (modeOf[asked] ?? asked));
  if (!sslmode) throw new ClearError(`sslmode or PGSSLMODE must be ${modes.join(', ')}`, 'usage');
  if (sslmode === 'verify-ca' && !sslrootcert) {
    const line = "sslmode=verify-ca needs sslrootcert or PGSSLROOTCERT, the file of your CA's certificate";
    throw new ClearError(line, 'usage');
  }
  return { ...given, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation };
}

function parsedUrl(place: string, parameters: ReturnType<typeof tlsParameters>) {
  const { sslmode, sslrootcert, sslcert, sslkey } = parameters;
  const isSystem = sslmode === 'verify-full' && sslrootcert === 'system';
  const all = { ...parameters, sslrootcert: isSystem ? '' : sslrootcert, uselibpqcompat: 'true' };
  try {
    const url = parseIntoClientConfig(`${place}?${new URLSearchParams(all)}`);
    const { host = '', port = 5432 } = url;
    if (host.includes(',') || !(port >= 1 && port <= 65_535)) throw new Error('not one host, or no port');
    if (sslmode === 'disable') return { ...url, ssl: {} };
    const ssl: ConnectionOptions = { rejectUnauthorized: true, ...(url.ssl as ConnectionOptions) };
    if (isSystem) ssl.ca = getCACertificates('system');
    // Node accepts a file without a certificate, and then trusts no server.
    else if (typeof ssl.ca === 'string') new X509Certificate(ssl.ca);
    createSecureContext(ssl);
    return { ...url, ssl };
  } catch (error) {
    const { code = 'ERR_INVALID_URL' } = error as NodeJS.ErrnoException;
    // The library's own messages may contain parts of the URL.
    const invalid = `DATABASE_URL must be ${settings.DATABASE_URL.accepts}`;
    const files = Object.entries({ sslrootcert, sslcert, sslkey }).filter(([, path]) => path);
    const unusable = `${files.map((one) => one.join(' ')).join(', ')} cannot be used (${code})`;
    throw new ClearError(code === 'ERR_INVALID_URL' ? invalid : unusable, 'usage');
  }
}
