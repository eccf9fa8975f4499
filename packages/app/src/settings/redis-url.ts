/** The address of a Redis server. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** The number of its database. */
  readonly db: number;
  readonly tls: boolean;
}

/** The parts of a REDIS_URL: `redis://` or, with TLS, `rediss://`; undefined where it is invalid. */
export function redisAddress(text: string): RedisAddress | undefined {
  if (!/^rediss?:\/\/[^\s\p{Cc}?#]+$/iu.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname } = new URL(text);
  const [, db] = /^(?:\/([0-9]{1,4})?)?$/.exec(pathname) ?? [undefined, undefined];
  if (hostname === '' || (db === undefined && pathname.length > 1)) return undefined;
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 6379),
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      db: Number(db ?? 0),
      tls: protocol === 'rediss:',
    };
  } catch {
    return undefined;
  }
}

/** For messages: no user, no password. */
export function redisName({ host, port, db }: RedisAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${db}`;
}

/** For people: the password is hidden. */
export function shownRedisUrl(text: string): string {
  const address = redisAddress(text);
  if (!address) return '';
  const { username, password, tls } = address;
  const who = username || password ? `${encodeURIComponent(username ?? '')}${password ? ':…' : ''}@` : '';
  return `${tls ? 'rediss' : 'redis'}://${who}${redisName(address)}`;
}
