-- Gives the roles of least privilege that exist their rights in this version, and takes away those that they had in
-- another one: a right on a column goes with that on its table. `ops/roles.sql` makes the roles; the owner migrates.
-- Nobody but the owner writes addresses, their history or the audit, except through the functions and triggers.
do $$ declare
  one text;
begin
  -- By default, everybody may execute a function, as after a dump that was restored without privileges.
  revoke execute on all functions in schema campaign_mirror from public;
  foreach one in array '{operator,service,redirector}'::text[] loop
    if to_regrole('campaign_mirror_' || one) is not null then
      execute replace('
        revoke all on all tables in schema campaign_mirror from ROLE cascade;
        revoke all on all sequences in schema campaign_mirror from ROLE cascade;
        revoke all on all functions in schema campaign_mirror from ROLE cascade;
        grant usage on schema campaign_mirror to ROLE', 'ROLE', 'campaign_mirror_' || one);
    end if;
  end loop;

  if to_regrole('campaign_mirror_operator') is not null then
    grant select, insert, delete, update (owner_id, is_default) on campaign_mirror.campaigns to campaign_mirror_operator;
    -- The database sets the other columns, such as last_change_id. To delete a mirror locks it: a right to update.
    grant select, update (clicks), insert (id, campaign_id, target_url, clicks, updated_externally,
      updated_externally_at, created_at, updated_at) on campaign_mirror.mirrors to campaign_mirror_operator;
    grant select, insert, update (expires_at, revoked_at, replaced_by)
      on campaign_mirror.access_keys to campaign_mirror_operator;
    grant select on campaign_mirror.mirror_history, campaign_mirror.operator_audit, campaign_mirror.key_uses,
      campaign_mirror.current_mirrors, campaign_mirror.deletions, campaign_mirror.migrations,
      campaign_mirror.sequences_behind, campaign_mirror.transactions_ahead to campaign_mirror_operator;
    -- Imports keep the numbers of campaigns.
    grant usage, select, update on sequence campaign_mirror.campaigns_id_seq, campaign_mirror.mirrors_id_seq
      to campaign_mirror_operator;
    -- The last two are called by triggers, on the rows that the operator writes.
    grant execute on function campaign_mirror.prune_history, campaign_mirror.changes_since, campaign_mirror.find_keys,
      campaign_mirror.find_campaigns, campaign_mirror.set_mirrors, campaign_mirror.set_mirrors_as_operator,
      campaign_mirror.is_address, campaign_mirror.passed to campaign_mirror_operator;
    -- Imports need it. Where the user does not own the database, ops/roles.sql grants it.
    if exists (
      select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')
        and not has_database_privilege('campaign_mirror_operator', oid, 'temporary')
    ) then
      execute format('grant temporary on database %I to campaign_mirror_operator', current_database());
    end if;
  end if;

  if to_regrole('campaign_mirror_service') is not null then
    -- To count the keys that expire soon.
    grant select (expires_at, revoked_at, replaced_by) on campaign_mirror.access_keys to campaign_mirror_service;
    grant select (name) on campaign_mirror.migrations to campaign_mirror_service;
    grant select on campaign_mirror.sequences_behind, campaign_mirror.transactions_ahead to campaign_mirror_service;
    grant execute on function campaign_mirror.find_keys, campaign_mirror.find_campaigns, campaign_mirror.set_mirrors
      to campaign_mirror_service;
  end if;

  if to_regrole('campaign_mirror_redirector') is not null then
    grant select on campaign_mirror.current_mirrors to campaign_mirror_redirector;
    grant execute on function campaign_mirror.changes_since, campaign_mirror.count_clicks to campaign_mirror_redirector;
  end if;
end $$;
