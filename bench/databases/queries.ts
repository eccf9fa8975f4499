import pg from 'pg';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A database that one can ask. */
export interface Queries {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

export function addressOf(text: string): Address {
  const url = new URL(text);
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username || 'postgres'),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || 'postgres',
  };
}

export function urlOf({ host, port, user, password, database }: Address): string {
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}

export function query<Row extends pg.QueryResultRow>(
  address: Address,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  return withClient(address, async (client) => (await client.query<Row>(text, values)).rows);
}

export async function withClient<T>(address: Address, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 10_000, query_timeout: 120_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.end().catch(() => {});
  }
}
