import { freshDatabase, type TestDatabase } from '../database/database-server.ts';
import { command, type Done, type RunningCommand, startCommand } from './command.ts';

/** Campaign 1 and so on, each with a mirror that points there; of owner 1 unless it is said. */
export interface Filling {
  readonly url: string;
  readonly owner?: number;
  readonly isDefault?: boolean;
}

/** A database of mirrors, and the command that moves those on `old.example`. */
export interface MovingMirrors {
  readonly database: TestDatabase;
  /** `mirror move --from-host old.example --to-host new.example …` */
  move(...more: string[]): Promise<Done>;
  start(...more: string[]): RunningCommand;
  readonly words: readonly string[];
  readonly settings: Record<string, string>;
  /** In the order of their campaigns. */
  addresses(): Promise<string[]>;
  /** In the same order. */
  history(): Promise<MovedRow[]>;
  /** How many mirrors each entry of the audit tells of. */
  audited(): Promise<number[]>;
}

interface MovedRow {
  readonly campaign: number;
  readonly owner: number;
  readonly before: string;
  readonly after: string;
}

export async function movingMirrors(fillings: readonly Filling[]): Promise<MovingMirrors> {
  const database = await freshDatabase();
  const { admin } = database;
  await admin.query(
    `with made as (
      insert into campaign_mirror.campaigns (owner_id, is_default)
      select owner, is_default from unnest($1::bigint[], $2::boolean[]) with ordinality as f (owner, is_default, place)
      order by place returning id
    )
    insert into campaign_mirror.mirrors (campaign_id, target_url)
    select id, ($3::text[])[id] from made order by id`,
    [
      fillings.map(({ owner = 1 }) => owner),
      fillings.map(({ isDefault = false }) => isDefault),
      fillings.map(({ url }) => url),
    ],
  );
  const words = ['mirror', 'move', '--from-host', 'old.example', '--to-host', 'new.example'];
  const settings = { DATABASE_URL: database.url('operator') };
  const column = async (text: string) =>
    (await admin.query({ text, rowMode: 'array' })).rows.map(([one]) => one);
  return {
    database,
    words,
    settings,
    move: (...more) => command([...words, ...more], settings),
    start: (...more) => startCommand([...words, ...more], settings),
    addresses: () => column('select target_url from campaign_mirror.mirrors order by campaign_id'),
    history: async () => {
      const { rows } = await admin.query(
        `select campaign_id::int as campaign, owner_id::int as owner, address_before as before, address_after as after
        from campaign_mirror.mirror_history where actor = 'operator' order by campaign_id, id`,
      );
      return rows;
    },
    audited: () =>
      column(
        `select (details->>'mirrors')::int from campaign_mirror.operator_audit where act = 'mirrors-moved' order by id`,
      ),
  };
}

/** So many on the host that moves. */
export function onOldHost(count: number): Filling[] {
  return Array.from({ length: count }, (_, at) => ({ url: `https://old.example/${at + 1}` }));
}
