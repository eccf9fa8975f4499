-- Creates the database roles of least privilege that are missing, and gives them their rights on this database. Their
-- rights in its schema come from `./campaign-mirror migrate`. Run it in the database, as a superuser or as the owner of
-- the database with CREATEROLE. It can be run again. It sets no password:
--
--   psql --dbname=mirrors --file=ops/roles.sql
--   psql --dbname=mirrors --command='\password campaign_mirror_service'
--
-- Other names: --set=owner=… --set=operator=… --set=service=… --set=redirector=…
\set ON_ERROR_STOP on
\if :{?owner}
\else
  \set owner campaign_mirror_owner
\endif
\if :{?operator}
\else
  \set operator campaign_mirror_operator
\endif
\if :{?service}
\else
  \set service campaign_mirror_service
\endif
\if :{?redirector}
\else
  \set redirector campaign_mirror_redirector
\endif

begin;

do $$ begin
  if not (select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()) then
    raise 'run this as a superuser, or as the owner of the database with CREATEROLE';
  end if;
end $$;

-- `migrate` grants rights to three roles, by their names. A login of another name is a member of one of them. Each
-- login has its share of PostgreSQL's 100 connections: a leaked password cannot use all of them. It has the isolation
-- level that mirrors need, because a pooler drops the level that the service requests. Existing logins do not change.
select
  case when rights <> name and to_regrole(rights) is null then format('create role %I', rights) end,
  case when is_new then format('create role %I login connection limit %s', name, connections) end,
  case when is_new then format('alter role %I set default_transaction_isolation = %L', name, 'read committed') end,
  case when rights <> name then format('grant %I to %I', rights, name) end
from (values
  (:'owner', :'owner', 20),
  (:'operator', 'campaign_mirror_operator', 20),
  (:'service', 'campaign_mirror_service', 60),
  (:'redirector', 'campaign_mirror_redirector', 60)
) as login (name, rights, connections),
  lateral (select not exists (select from pg_roles where rolname = name) as is_new) as found
\gexec

grant connect on database :"DBNAME" to :"owner", :"operator", :"service", :"redirector";
-- The owner creates the schema.
grant create on database :"DBNAME" to :"owner";
-- By default, every role may create temporary tables, which can fill the disk. The operator's imports use them.
revoke temporary on database :"DBNAME" from public;
grant temporary on database :"DBNAME" to campaign_mirror_operator;
-- The server's log can show addresses of mirrors and hashes of keys. These settings, which only a superuser may make,
-- keep values out of it.
select format('alter database %I set %I = %L', current_database(), name, value)
from (values ('log_error_verbosity', 'terse'), ('log_parameter_max_length', '0')) as setting (name, value)
where current_setting('is_superuser') = 'on'
\gexec
-- Large objects and messages in the WAL can fill the disk, too. Only a superuser can revoke that right.
select format('revoke execute on function %s from public', oid::regprocedure) from pg_proc
where current_setting('is_superuser') = 'on' and pronamespace = 'pg_catalog'::regnamespace
  and proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message')
\gexec

commit;
