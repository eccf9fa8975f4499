import { parseIntoClientConfig } from 'pg-connection-string';

/** How a connection is to be encrypted, as libpq's parameters. */
export interface TlsParameters {
  readonly sslmode?: string;
  /** The file of the CA's certificate, or `system`. */
  readonly sslrootcert?: string;
  /** Files of the client's own certificate and its key. */
  readonly sslcert?: string;
  readonly sslkey?: string;
  readonly sslnegotiation?: string;
}

export interface DatabaseUrlParts {
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly tls: TlsParameters;
}

const tlsNames = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'] as const;

/** node-postgres' own parameter for it. */
const sslAlone: Readonly<Record<string, string>> = {
  true: 'verify-full',
  1: 'verify-full',
  false: 'disable',
  0: 'disable',
};

/**
 * An @ after the host, except in a parameter's value: the text before it begins with a password in which a `/`, `?` or
 * `#` was not encoded, and would be taken for a host, a port or a name, which are shown.
 */
const misplacedAt = /^[^:]*:\/\/[^/?#]*(?:\/[^?#]*@|(?:\/[^?#]*)?\?(?:[^#]*&)?[^=&#]*@|[^#]*#.*@)/;

/** The parts of a DATABASE_URL; its files are not read; undefined where it is invalid. */
export function databaseUrlParts(url: string): DatabaseUrlParts | undefined {
  if (!/^postgres(?:ql)?:\/\/[^\s\p{Cc}]*$/iu.test(url) || misplacedAt.test(url)) return undefined;
  const [address = '', query = ''] = url.replace(/#.*$/, '').split(/\?(.*)/);
  const parameters = new URLSearchParams(query);
  const tls = tlsParameters(parameters);
  // The parser would read their files, warn about them in many lines, and treat `require` as stricter than it is.
  for (const name of [...tlsNames, 'ssl', 'uselibpqcompat']) parameters.delete(name);
  try {
    const { host, port, user, password, database } = parseIntoClientConfig(`${address}?${parameters}`);
    if (host?.includes(',') || (port !== undefined && !(port >= 1 && port <= 65_535))) return undefined;
    return {
      ...(host && { host }),
      ...(port && { port }),
      ...(user && { user }),
      ...(typeof password === 'string' && password && { password }),
      ...(database && { database }),
      tls,
    };
  } catch {
    return undefined;
  }
}

/** The last one of a repeated parameter counts. */
function tlsParameters(parameters: URLSearchParams): TlsParameters {
  const given = tlsNames.map((name) => [name, parameters.getAll(name).at(-1)] as const);
  const ssl = parameters.getAll('ssl').at(-1);
  return {
    ...(ssl && { sslmode: sslAlone[ssl] ?? ssl }),
    ...Object.fromEntries(given.filter(([, value]) => value)),
  };
}

/** For people: secrets are hidden, and unknown parameters left out. */
export function shownDatabaseUrl(url: string): string {
  const { host = '', port, user, password, database = '', tls } = databaseUrlParts(url) ?? { tls: {} };
  const who = [user && encodeURIComponent(user), password && '…'].filter(Boolean).join(':');
  const where = host.includes(':') ? `[${host}]` : encodeURIComponent(host);
  const how = Object.entries(tls).map(([name, value]) => `${name}=${value}`);
  const query = how.length > 0 ? `?${how.join('&')}` : '';
  return `postgres://${who && `${who}@`}${where}${port ? `:${port}` : ''}/${encodeURIComponent(database)}${query}`;
}
