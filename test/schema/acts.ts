import type pg from 'pg';
import { grants } from '../../packages/adapters-persistence/src/schema/grants.ts';

/** Something that a role may try, as SQL, and the right that it needs; without one only the owner may do it. */
export interface Act {
  readonly on: string;
  readonly sql: string;
  readonly needs?: Need | readonly Need[];
}

interface Need {
  readonly right: string;
  /** One column of the object; without it all of them, or any of them. */
  readonly column?: string;
  readonly ofAny?: true;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly generated: boolean;
}

interface Found {
  readonly name: string;
  readonly kind: 'r' | 'v' | 'S';
  readonly columns: readonly Column[];
  /** Those of the primary key. */
  readonly key: readonly string[] | null;
}

const objects = `
  select c.relname as name, c.relkind as kind,
    (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
      'generated', attgenerated <> '') order by attnum)
     from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
    (select array_agg(attname::text) from pg_index i join pg_attribute on attrelid = c.oid and attnum = any (i.indkey)
     where i.indrelid = c.oid and i.indisprimary) as key
  from pg_class c where c.relnamespace = 'campaign_mirror'::regnamespace and c.relkind in ('r', 'v', 'S')
  order by 1`;

const functions = `
  select proname as name, coalesce((select string_agg('null::' || format_type(t, null), ', ' order by n)
    from unnest(proargtypes) with ordinality as argument (t, n)), '') as arguments
  from pg_proc where pronamespace = 'campaign_mirror'::regnamespace and prorettype <> 'trigger'::regtype`;

/** What can be tried on everything that the schema holds, without changing a row. `elsewhere` is open to everybody. */
export async function actsIn(database: pg.Pool): Promise<Act[]> {
  const { rows: found } = await database.query<Found>(objects);
  const { rows: called } = await database.query<{ name: string; arguments: string }>(functions);
  return [
    ...found.flatMap((one) => (one.kind === 'S' ? onSequence(one.name) : onRelation(one))),
    ...called.map(({ name, arguments: given }) => ({
      on: name,
      sql: `select campaign_mirror.${name}(${given})`,
      needs: { right: 'execute' } as const,
    })),
    ...onSchema.map((sql) => ({ on: 'campaign_mirror', sql })),
  ];
}

function onRelation({ name, kind, columns, key }: Found): Act[] {
  const it = `campaign_mirror.${name}`;
  const act = (sql: string, needs?: Act['needs']): Act => ({ on: name, sql, ...(needs && { needs }) });
  const rows = [
    act(`select * from ${it} limit 0`, { right: 'select' }),
    act(`delete from ${it} where false`, { right: 'delete' }),
    ...columns.flatMap(({ name: column, type, generated }) => [
      act(`select ${column} from ${it} limit 0`, { right: 'select', column }),
      act(`update ${it} set ${column} = default where false`, { right: 'update', column }),
      ...(generated
        ? []
        : [
            act(`insert into ${it} (${column}) select null::${type} where false`, {
              right: 'insert',
              column,
            }),
          ]),
    ]),
  ];
  if (kind === 'v') return [...rows, act(`create or replace view ${it} as select 1`), act(`drop view ${it}`)];
  const typed = columns.filter((one) => key?.includes(one.name));
  const names = typed.map((one) => one.name).join(', ');
  const declared = typed.map((one) => `${one.name} ${one.type}`).join(', ');
  return [
    ...rows,
    act(`select 1 from ${it} limit 0 for share`, [
      { right: 'select', ofAny: true },
      { right: 'update', ofAny: true },
    ]),
    act(`truncate ${it} cascade`),
    ...(names
      ? [act(`create table elsewhere.x (${declared}, foreign key (${names}) references ${it})`)]
      : []),
    act(`create trigger x before insert on ${it} execute function elsewhere.nothing()`),
    act(`create rule x as on insert to ${it} do instead nothing`),
    act(`create index on ${it} ((1))`),
    act(`alter table ${it} disable trigger all`),
    act(`alter table ${it} add column x integer`),
    act(`alter table ${it} owner to current_user`),
    act(`create policy x on ${it}`),
    act(`comment on table ${it} is ''`),
    act(`drop table ${it} cascade`),
  ];
}

function onSequence(name: string): Act[] {
  const it = `campaign_mirror.${name}`;
  return [
    { on: name, sql: `select nextval('${it}')`, needs: { right: 'usage' } },
    { on: name, sql: `select last_value from ${it}`, needs: { right: 'select' } },
    { on: name, sql: `select setval('${it}', 1000)`, needs: { right: 'update' } },
    { on: name, sql: `alter sequence ${it} restart` },
  ];
}

const onSchema = [
  'create table campaign_mirror.x ()',
  'create view campaign_mirror.x as select 1',
  'create type campaign_mirror.x as enum ()',
  "create function campaign_mirror.x() returns integer language sql as 'select 1'",
  "create or replace function campaign_mirror.refuse_to_change_history() returns trigger language plpgsql as ''",
  'alter schema campaign_mirror rename to x',
  'drop schema campaign_mirror cascade',
];

/** Whether the rights that were decided allow it. */
export function isGranted({ on, needs }: Act, role: keyof typeof grants): boolean {
  if (!needs) return false;
  return [needs].flat().every(({ right, column, ofAny }) =>
    grants[role].some((grant) => {
      if (grant.on !== on || grant.right !== right) return false;
      return !grant.columns || ofAny || (column !== undefined && grant.columns.includes(column));
    }),
  );
}
