import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

type Filling = readonly [url: string, owner?: number, isDefault?: boolean];

export const onOldHost = (count: number): Filling[] =>
  Array.from({ length: count }, (_, at) => [`https://old.example/${at + 1}`]);

export const moving = 'mirror move --from-host old.example --to-host new.example';

/** The last line of a move. */
export const moved = (mirrors: string, number = 1) =>
  `${mirrors} moved from old.example to new.example. ` +
  `This is move ${number}: \`./campaign-mirror mirror move --undo ${number}\` undoes it.\n`;

export const ofDefaultCampaign = (campaign: number) =>
  `it is its owner's default campaign: \`./campaign-mirror campaign unset-default ${campaign}\` makes it an ordinary one`;

/** A database for each test, in which moves have the numbers 1 and so on. */
export function mirrorsToMove() {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const sql = (text: string, ...values: unknown[]) => database.admin.query(text, values);
  return {
    database,
    on,
    sql,
    /** Makes the campaigns 1 and so on with their mirrors. */
    async filled(...fillings: Filling[]): Promise<void> {
      const rows = 'from json_array_elements($1::json) with ordinality as f (one, id) order by id';
      const table = JSON.stringify(
        fillings.map(([url, owner = 1, isDefault = false]) => [url, owner, isDefault]),
      );
      const campaigns = `insert into campaign_mirror.campaigns (owner_id, is_default)
        select (one->>1)::bigint, (one->>2)::boolean ${rows}`;
      await sql(campaigns, table);
      await sql(
        `insert into campaign_mirror.mirrors (campaign_id, target_url) select id, one->>0 ${rows}`,
        table,
      );
      await sql(`begin; set local session_replication_role = replica;
        truncate campaign_mirror.operator_audit restart identity; commit`);
    },
    addresses: async () => (await on.objects('mirror list')).map(({ target_url }) => target_url),
    async history() {
      const { rows } = await sql(
        `select campaign_id::int as campaign, owner_id::int as owner, address_before as before, address_after as after
         from campaign_mirror.mirror_history where actor = 'operator' order by campaign_id, id`,
      );
      return rows;
    },
  };
}
