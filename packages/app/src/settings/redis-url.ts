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
  const url = /^rediss?:\/\/[^\s\p{Cc}?#]+$/iu.test(text) ? URL.parse(text) : undefined;
  if (!url?.hostname || !/^\/?[0-9]{0,4}$/.test(url.pathname)) return undefined;
  try {
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || 6379),
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(url.password && { password: decodeURIComponent(url.password) }),
      db: Number(url.pathname.slice(1)),
      tls: url.protocol === 'rediss:',
    };
  } catch {
    return undefined;
  }
}

/** For messages: no user, no password. */
export function redisName({ host, port, db }: RedisAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${db}`;
}
