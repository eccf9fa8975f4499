/*
 * What enforces the promises of the schema: views, functions, triggers, constraints. A restore that was killed, a dump without
 * its owners, or somebody's hand can leave any of it away, off, or another's. The functions and triggers below are the only
 * place of their text: each migration brings them up to date, and each `migrate` puts them right.
 */
import { hash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import { auditTriggers } from './audit-triggers.ts';
import { changesByTransaction, changesSince, countClicks, transactionsAhead } from './feed.ts';
import { appendOnly, pruning } from './history-functions.ts';
import { noteKeyUses } from './keys.ts';
import { isNoAddress, mirrorTriggers } from './mirror-triggers.ts';
import { setMirrorsFunctions } from './set-mirrors.ts';
import {
  constraintTexts,
  factsKey,
  filled,
  oneDefaultCampaign,
  sequencesBehind,
  tableNames,
  tables,
} from './tables.ts';

const texts = [
  mirrorTriggers,
  appendOnly,
  auditTriggers,
  pruning,
  noteKeyUses,
  setMirrorsFunctions,
  changesSince,
  countClicks,
].join('');

export interface Enforced {
  readonly kind: 'view' | 'function' | 'trigger' | 'constraint' | 'index';
  readonly name: string;
  /** Of a trigger, a constraint or an index. */
  readonly table?: string;
  /** Of a function: its body; of all else its definition, plainly. Of primary and unique keys, only their names are compared. */
  readonly body?: string;
  /** Whether a function runs with its owner's rights. */
  readonly definer?: boolean;
  /** Makes it anew, or puts it right. */
  readonly text: string;
}

/**
 * What PostgreSQL adds to a definition when it shows it, or leaves out. All else is written here as it shows it: it turns
 * `between` and `in` into others, orders events, and writes times and intervals as the session has it.
 */
const decoration = String.raw` not valid$| using "*btree|"*campaign_mirror"*\.|::"*(double precision|timestamp with time zone|\w+)"*(\[\])*|[\s()'"]`;
const plain = (definition: string, left = decoration) =>
  definition.toLowerCase().replace(new RegExp(left, 'g'), '');

/** Of a view, PostgreSQL 15 also names the table of each column. */
const decorationOfView = String.raw`;$|"*(${tableNames.join('|')}|numbers|move|part)(_id_seq)*"*\.|${decoration}`;
const viewText = /create (?:or replace )?view campaign_mirror\.(\w+) as(.*?);/gs;
const viewTexts = [...`${tables}${sequencesBehind}${transactionsAhead}`.matchAll(viewText)];
/** Where one has other columns: another reads it, so all are made. Our roles get their rights afterwards. */
const viewsAnew = `drop view if exists ${viewTexts.map(([, name]) => `campaign_mirror.${name}`)};
  ${viewTexts.map(([text]) => text).join('')}`;
const views = viewTexts.map(([, name = '', definition = '']): Enforced => {
  // Replaced, it keeps the rights that others have, and their views that read it.
  const text = `do $view$ begin
      create or replace view campaign_mirror.${name} as${definition};
    exception when invalid_table_definition then ${viewsAnew}
    end $view$`;
  return { kind: 'view', name, body: plain(definition, decorationOfView), text };
});

const functionText = /create or replace function campaign_mirror\.(\w+)[^$]*\$\$(.*?)\$\$;/gs;
const functions = [...texts.matchAll(functionText)].map(([text, name = '', body = '']): Enforced => {
  const definer = text.slice(0, -body.length).includes('security definer');
  return { kind: 'function', name, body, definer, text };
});

const triggerText =
  /create or replace trigger (\w+)[^;]* on campaign_mirror\.(\w+)[^;]*execute function campaign_mirror\.\w+\(\);/g;
const triggers = [...texts.matchAll(triggerText)].map(([text, name = '', table = '']): Enforced => {
  const body = plain(text.replace('or replace', '').replace(';', ''));
  return { kind: 'trigger', name, table, body, text };
});

/** Follows what the foreign key would have done, then trusts it again. */
const settleMirrors = `
  update campaign_mirror.mirrors set owner_id = campaigns.owner_id, is_default = campaigns.is_default
  from campaign_mirror.campaigns where campaigns.id = mirrors.campaign_id
    and (campaigns.owner_id, campaigns.is_default) <> (mirrors.owner_id, mirrors.is_default);
  delete from campaign_mirror.mirrors
  where not exists (select from campaign_mirror.campaigns where campaigns.id = mirrors.campaign_id);
  alter table campaign_mirror.mirrors validate constraint ${factsKey}`;

const constraints = Object.entries(constraintTexts).flatMap(([table, definitions]) =>
  Object.entries(definitions).map(([name, definition]): Enforced => {
    const isUnique = /^(?:primary|unique)/.test(definition);
    // Made again, a foreign key has its triggers, which only a superuser may switch on.
    const text = `alter table campaign_mirror.${table} ${isUnique ? '' : `drop constraint if exists ${name},`}
      add constraint ${name} ${definition} ${isUnique ? '' : 'not valid'}`;
    const settled = name === factsKey ? `; ${settleMirrors}` : '';
    return {
      kind: 'constraint',
      name,
      table,
      body: isUnique ? '' : plain(definition),
      text: `${text}${settled}`,
    };
  }),
);

/** Of the indexes, the one that is a rule, and that without which each look of the feed would read the whole history. */
const indexes = [oneDefaultCampaign, changesByTransaction].map((text): Enforced => {
  const [, name = '', table = ''] = /index (\w+) on campaign_mirror\.(\w+)/.exec(text) ?? [];
  // One whose building was interrupted is there, and is not used.
  const made = `drop index if exists campaign_mirror.${name}; ${text}`;
  return { kind: 'index', name, table, body: plain(text), text: made };
});

export const enforced: readonly Enforced[] = [
  ...views,
  ...functions,
  ...triggers,
  ...constraints,
  ...indexes,
];

/** Runs a statement, by whichever library. */
export type Run = <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Something of the schema that does not enforce what it should. */
export interface EnforcementFault {
  /** Such as `the trigger take_facts on mirrors is off`. */
  readonly finding: string;
  /** Puts it right, as the owner of the schema; null if only a superuser may. */
  readonly mended: string | null;
}

/** The texts themselves are not sent. */
const asked = JSON.stringify(
  enforced.map(({ text, body = '', ...one }, place) => ({ place, ...one, body: body && hash('md5', body) })),
);

const other = "'is not that of this version'";
/** A later PostgreSQL than those that the tests run on might show it otherwise, which must not keep a service from starting. */
const isOther = (definition: string, left = decoration) =>
  `(current_setting('server_version_num')::int < 190000
        and md5(regexp_replace(lower(${definition}), $re$${left}$re$, '', 'g')) <> body)`;

/**
 * The fault of each that is not as above, by its place in `enforced`; and, with the place null, of a table that somebody has
 * made lose rows, hide them or write them otherwise, and of an object of another owner than the schema's: what is to be done
 * about that needs the owner, or a superuser.
 */
const faultsText = `
  with asked as (
    select * from json_to_recordset($1) as one (place int, kind text, name text, "table" text, body text, definer boolean)
  ), here as (select oid, nspowner from pg_namespace where nspname = 'campaign_mirror'),
  found as (
    select place, case when pg_class.oid is null then 'is missing'
      when reloptions is not null or ${isOther('pg_get_viewdef(pg_class.oid)', decorationOfView)} then ${other} end as fault
    from asked cross join here left join pg_class on relnamespace = here.oid and relname = name and relkind = 'v' where kind = 'view'
    union all
    select place, case when pg_proc.oid is null then 'is missing'
      when md5(prosrc) <> body or prosecdef <> definer or array_to_string(proconfig, ' ') is distinct from
        'search_path=pg_catalog, pg_temp' then ${other} end
    from asked cross join here left join pg_proc on pronamespace = here.oid and proname = name where kind = 'function'
    union all
    select place, case when pg_trigger.oid is null then 'is missing' when tgenabled <> 'O' then 'is off'
      when ${isOther('pg_get_triggerdef(pg_trigger.oid)')} then ${other} end
    from asked cross join here left join pg_class on relnamespace = here.oid and relname = "table"
      left join pg_trigger on tgrelid = pg_class.oid and tgname = name where kind = 'trigger'
    union all
    select place, case when pg_constraint.oid is null then 'is missing' when exists (
      select from pg_trigger where tgconstraint = pg_constraint.oid and tgenabled <> 'O') then 'is off'
      when body <> '' and ${isOther('pg_get_constraintdef(pg_constraint.oid)')} then ${other} end
    from asked cross join here left join pg_class on relnamespace = here.oid and relname = "table"
      left join pg_constraint on conrelid = pg_class.oid and conname = name where kind = 'constraint'
    union all
    select place, case when indexrelid is null or not indisvalid then 'is missing'
      when ${isOther('pg_get_indexdef(indexrelid)')} then ${other} end
    from asked cross join here left join pg_class on relnamespace = here.oid and relname = name
      left join pg_index on indexrelid = pg_class.oid where kind = 'index'
  )
  select place, null as what, fault, null as mended from found where fault is not null
  union all
  select null, 'table ' || named.name, fault, format(mended, named.name)
  from here join pg_class on relnamespace = here.oid and relkind = 'r' and relname = any ('{${Object.keys(constraintTexts)}}'),
    lateral (select pg_class.oid::regclass::text as name) as named, lateral (
      select string_agg(format('alter table %%1$s alter %I set not null', attname), '; ') from pg_attribute
      where attrelid = pg_class.oid and not attnotnull
        and attname = any (string_to_array('${JSON.stringify(filled)}'::json ->> relname, ' '))
    ) as lax (filling), lateral (values
      (filling is not null, 'takes null where a value must be', filling),
      (relpersistence <> 'p', 'is unlogged: a crash empties it', 'alter table %s set logged'),
      (relrowsecurity, 'hides rows from some roles: it has row security', 'alter table %s disable row level security'),
      (exists (select from pg_rewrite where ev_class = pg_class.oid), 'has rules', (
        select string_agg(format('drop rule %s on %%1$s', replace(quote_ident(rulename), '%', '%%')), '; ') from pg_rewrite where ev_class = pg_class.oid))
    ) as state (is_so, fault, mended) where is_so
  union all
  select null, objects.what, format('belongs to %s, not to %s', pg_get_userbyid(objects.owner), pg_get_userbyid(nspowner)), null
  from here, (
    select pronamespace, 'function ' || oid::regprocedure::text, proowner from pg_proc
    where proname in (select name from asked where kind = 'function')
    union all
    select relnamespace, (case relkind when 'r' then 'table ' when 'S' then 'sequence ' else 'view ' end) || oid::regclass::text,
      relowner from pg_class where relkind in ('r', 'S', 'v')
  ) as objects (namespace, what, owner) where objects.namespace = here.oid and objects.owner <> nspowner
  order by place`;

/** What is missing, off or another's, of a schema with every migration of this version and no other. */
export async function enforcementFaults(run: Run): Promise<EnforcementFault[]> {
  const rows = await run<{ place: number | null; what: string; fault: string; mended: string | null }>(
    faultsText,
    [asked],
  );
  return rows.map(({ place, what, fault, mended }) => {
    const one = enforced[place ?? -1];
    if (!one) return { finding: `the ${what} ${fault}`, mended };
    const { kind, name, table, text } = one;
    const finding = `the ${kind} ${name}${table ? ` on ${table}` : ''} ${fault}`;
    return { finding, mended: text };
  });
}

const mirrorFaultsText = `
  select mirrors.campaign_id, ${isNoAddress('target_url')} as "hasNoAddress", campaigns.id is null as "isAlone",
    count(*) over () as all
  from campaign_mirror.mirrors left join campaign_mirror.campaigns on campaigns.id = mirrors.campaign_id
  where ${isNoAddress('target_url')} or campaigns.id is null
    or (campaigns.owner_id, campaigns.is_default) <> (mirrors.owner_id, mirrors.is_default)
  order by mirrors.campaign_id limit 5`;

/** A mirror that could not be stored like this today. */
export interface MirrorFault {
  readonly campaign_id: number;
  readonly hasNoAddress: boolean;
  /** Its campaign does not exist. */
  readonly isAlone: boolean;
  /** The number of all such mirrors, of which at most five are listed. */
  readonly all: number;
}

/**
 * Rows from before, or written by hand: addresses that are none, and mirrors whose campaign was transferred, flagged or
 * deleted while the foreign key was off. It reads all mirrors.
 */
export const mirrorFaults = (run: Run) => run<MirrorFault>(mirrorFaultsText, []);
