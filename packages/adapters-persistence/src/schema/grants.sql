-- Gives the roles of least privilege that exist (`ops/roles.sql`) their rights, and takes away all others: a right on a
-- column goes with that on its table.
do $$ declare
  role text;
  needed record;
begin
  -- By default, everybody may execute a function, as after a dump that was restored without privileges.
  revoke execute on all functions in schema campaign_mirror from public;
  foreach role in array '{campaign_mirror_operator,campaign_mirror_service,campaign_mirror_redirector}'::text[] loop
    continue when to_regrole(role) is null;
    execute replace('
      revoke all on all tables in schema campaign_mirror from ROLE cascade;
      revoke all on all sequences in schema campaign_mirror from ROLE cascade;
      revoke all on all functions in schema campaign_mirror from ROLE cascade;
      grant usage on schema campaign_mirror to ROLE', 'ROLE', role);
    for needed in
      select may, split_part(name, '.', 1) as object, '(' || nullif(split_part(name, '.', 2), '') || ')' as columns
      from (NEEDED_RIGHTS) as listed (whose, may, names), unnest(names::text[]) as name
      where role = 'campaign_mirror_' || whose and name not like '% %'
    loop
      execute format('grant %s %s on %s campaign_mirror.%s to %s', needed.may, needed.columns,
        case needed.may when 'execute' then 'function' end, needed.object, role);
    end loop;
  end loop;

  -- Where the user does not own the database, ops/roles.sql grants it.
  if exists (
    select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')
      and not has_database_privilege(to_regrole('campaign_mirror_operator'), oid, 'temporary')
  ) then
    execute format('grant temporary on database %I to campaign_mirror_operator', current_database());
  end if;

  -- By default, every role may write WAL without bound by it. Elsewhere, a superuser revokes it by ops/roles.sql.
  for needed in
    select oid::regprocedure as message from pg_proc
    where proname = 'pg_logical_emit_message' and pg_has_role(proowner, 'usage')
      and has_function_privilege('public', oid, 'execute')
  loop
    execute format('revoke execute on function %s from public', needed.message);
  end loop;
end $$;
