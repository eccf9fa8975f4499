import type { Pool } from 'pg';

/** Nothing newer than this is used. */
export const oldestServerVersion = 15;

/** The server's major version, such as 15. */
export async function serverVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ version: string }>(
    "select current_setting('server_version_num') as version",
  );
  return Math.floor(Number(rows[0]?.version) / 10_000);
}
