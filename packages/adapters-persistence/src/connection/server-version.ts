import type { ClientBase, Pool } from 'pg';

/** The service uses no feature of a newer version. */
export const oldestServerVersion = 15;

/** The server's major version, such as 15. */
export async function serverVersion(connection: Pool | ClientBase): Promise<number> {
  const { rows } = await connection.query<{ version: number | string }>(
    "select current_setting('server_version_num')::int / 10000 as version",
  );
  return Number(rows[0]?.version);
}
