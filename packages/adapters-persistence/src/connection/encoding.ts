import type { PoolClient } from 'pg';

/** The database cannot store every name and address. The message is for the operator. */
export class EncodingFault extends Error {
  override name = 'EncodingFault';
}

/** @throws EncodingFault where the database is not in UTF-8 */
export async function refuseOtherEncoding(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    "select current_setting('server_encoding') as encoding",
  );
  const [{ encoding } = { encoding: '' }] = rows;
  if (encoding === 'UTF8') return;
  throw new EncodingFault(`the database is in ${encoding}, not in UTF8: make one with encoding UTF8`);
}
