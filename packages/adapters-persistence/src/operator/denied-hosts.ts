import type { OperatorAct } from '@campaign-mirror/domain';
import type { ClientBase, Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { actingText, actingValues, inTransaction } from '../connection/transaction.ts';

/** The hosts that no mirror may point to, as all processes that said so have them. @throws Unavailable */
export async function deniedHosts(database: Pool | ClientBase): Promise<string[]> {
  const text = 'select host from campaign_mirror.denied_hosts order by host';
  return (await rowsOf<{ host: string }>(database, text)).map(({ host }) => host);
}

/** Adds hosts to them. @throws Unavailable */
export async function denyHosts(database: Pool | ClientBase, hosts: readonly string[]): Promise<void> {
  if (hosts.length > 0) await rowsOf(database, 'select campaign_mirror.deny_hosts($1)', [hosts]);
}

/** Takes one away, as an act of the operator. Returns false if it is not among them. @throws Unavailable */
export function allowHost(pool: Pool, act: OperatorAct, host: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query(actingText, actingValues(act));
    const text = 'delete from campaign_mirror.denied_hosts where host = $1 returning host';
    return (await rowsOf(client, text, [host])).length > 0;
  });
}
