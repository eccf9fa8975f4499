import type { PoolClient } from 'pg';

/** The service uses no feature of a newer version. */
export const oldestServerVersion = 15;

/** The database cannot be used as it is. The message is for the operator. */
export class UnfitDatabase extends Error {
  override name = 'UnfitDatabase';
}

/** @throws UnfitDatabase where the database is not in UTF-8 */
export async function refuseOtherEncoding(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    "select current_setting('server_encoding') as encoding",
  );
  const [{ encoding } = { encoding: '' }] = rows;
  if (encoding === 'UTF8') return;
  throw new UnfitDatabase(`the database is in ${encoding}, not in UTF8: make one with encoding UTF8`);
}
