-- The functions, triggers and rights that each `migrate` replaces. It compares them before and after.
with ours as (select oid, nspacl from pg_namespace where nspname = 'campaign_mirror'),
  relations as (select pg_class.oid, relname, relacl from pg_class join ours on ours.oid = relnamespace),
  functions as (select pg_proc.oid, proname, proacl from pg_proc join ours on ours.oid = pronamespace)
select 'function ' || proname as part, string_agg(pg_get_functiondef(oid), '' order by oid) as definition
from functions group by proname
union all
select format('trigger %s on %s', tgname, relname), concat(tgenabled, pg_get_triggerdef(pg_trigger.oid))
from pg_trigger join relations on relations.oid = tgrelid where not tgisinternal
union all
select 'rights', string_agg(concat(object, acl), ' ' order by object) from (
  select oid::text as object, nspacl as acl from ours union all select relname, relacl from relations
  union all select oid::regprocedure::text, proacl from functions
  union all select concat(relname, attname), attacl from relations join pg_attribute on attrelid = oid
) as rights
order by part
