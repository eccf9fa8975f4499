import pg from 'pg';

export function query<Row extends pg.QueryResultRow>(url: URL, text: string, values?: unknown[]) {
  return withClient(url, async (client) => (await client.query<Row>(text, values)).rows);
}

export async function withClient<T>(url: URL, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url.href });
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.end();
  }
}
