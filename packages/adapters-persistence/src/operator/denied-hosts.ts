import type { ClientBase, Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';

/** The hosts that no mirror may point to, as all processes that said so have them. @throws Unavailable */
export async function deniedHosts(database: Pool | ClientBase): Promise<string[]> {
  const text = 'select host from campaign_mirror.denied_hosts order by host';
  return (await rowsOf<{ host: string }>(database, text)).map(({ host }) => host);
}

/** Adds hosts to them, for good. @throws Unavailable */
export async function denyHosts(database: Pool | ClientBase, hosts: readonly string[]): Promise<void> {
  if (hosts.length > 0) await rowsOf(database, 'select campaign_mirror.deny_hosts($1)', [hosts]);
}
