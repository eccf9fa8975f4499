-- What each `migrate` makes and gives: a part that is different afterwards was missing, disabled or replaced.
with ours as (select oid, nspacl from pg_namespace where nspname = 'campaign_mirror')
select 'function ' || proname as part, string_agg(pg_get_functiondef(pg_proc.oid), '' order by pg_proc.oid) as made
from pg_proc join ours on ours.oid = pronamespace group by proname
union all
select format('trigger %s on %s', tgname, relname), concat(tgenabled, pg_get_triggerdef(pg_trigger.oid))
from pg_trigger join pg_class on pg_class.oid = tgrelid join ours on ours.oid = relnamespace where not tgisinternal
union all
select 'rights', string_agg(right_on, ' ' order by right_on) from (
  select concat('schema', nspacl) as right_on from ours
  union all select concat(relname, relacl) from pg_class join ours on ours.oid = relnamespace
  union all select concat(attrelid, attname, attacl) from pg_attribute
    where attacl is not null and attrelid in (select pg_class.oid from pg_class join ours on ours.oid = relnamespace)
  union all select concat(pg_proc.oid::regprocedure, proacl) from pg_proc join ours on ours.oid = pronamespace
) as rights
order by part
