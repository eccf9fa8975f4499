import type { Client } from 'pg';

/**
 * A session that changes the mirror of one campaign, in transactions that are long, rolled back in part or as a whole,
 * or prepared and ended later. `onCommit` gets the numbers of the committed changes.
 */
export function writer(client: Client, campaign: number, onCommit: (ids: string[]) => void) {
  let state: 'none' | 'open' | 'prepared' = 'none';
  let ids: string[] = [];
  const name = `'writer ${campaign}'`;

  async function change(): Promise<string> {
    const text = `select place from campaign_mirror.set_mirrors(array[$1::bigint], '{NULL}', '{NULL}',
      '{https://new.example/}', '{NULL}', '{NULL}', '{jwt}', '{me}', '{r}', '{NULL}', false)`;
    const { rows } = await client.query(text, [campaign]);
    if (rows[0].place !== '1') throw new Error('the mirror was not set');
    const last = 'select last_change_id from campaign_mirror.mirrors where campaign_id = $1';
    return (await client.query(last, [campaign])).rows[0].last_change_id;
  }
  async function end(text: string, isCommitted: boolean): Promise<void> {
    await client.query(text);
    if (isCommitted) onCommit(ids);
    ids = [];
    state = 'none';
  }
  return {
    /** `roll` from 0 to 99 chooses what it does next, as its state allows. */
    step: async (roll: number): Promise<void> => {
      if (state === 'prepared') {
        if (roll < 30) await end(`commit prepared ${name}`, true);
        else if (roll < 40) await end(`rollback prepared ${name}`, false);
      } else if (state === 'none' || roll < 30) {
        if (state === 'none') await client.query('begin');
        state = 'open';
        ids.push(await change());
      } else if (roll < 40) {
        await client.query('savepoint here');
        await change();
        await client.query('rollback to here');
      } else if (roll < 50) {
        await client.query(`prepare transaction ${name}`);
        state = 'prepared';
      } else if (roll < 60) await end('rollback', false);
      else if (roll < 80) await end('commit', true);
    },
    /** Commits the open transaction. */
    finish: async (): Promise<void> => {
      if (state === 'open') await end('commit', true);
      if (state === 'prepared') await end(`commit prepared ${name}`, true);
    },
  };
}

/** Creates campaigns, numbered from 1, each with a mirror. */
export const filling = (campaigns: number) => `
  insert into campaign_mirror.campaigns (owner_id) select 7 from generate_series(1, ${campaigns});
  insert into campaign_mirror.mirrors (campaign_id, target_url)
    select id, 'https://old.example/' from campaign_mirror.campaigns`;

/** One transaction of a move of all mirrors. Locked mirrors stay. */
export const moveText = `
  with moved as materialized (
    select array_agg(campaign_id) as campaigns, array_agg('https://moved.example/'::text) as addresses
    from campaign_mirror.mirrors where campaign_id > $1
  ), made as materialized (
    select made.* from moved, campaign_mirror.set_mirrors_as_operator(
      campaigns, '{}', '{}', addresses, '{}', '{}', false, 'mirrors-moved', 'me', 'r', '{}', null) as made
  )
  select count(*) from made`;
