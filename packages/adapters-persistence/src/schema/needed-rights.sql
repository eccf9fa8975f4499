-- The rights of the roles: grants.sql gives them, rights.sql finds what is lacking. Only the owner writes addresses,
-- their history and the audit; others do so by the functions and triggers.
values
  ('service', 'usage', '{schema campaign_mirror}'),
  -- To count the keys that expire soon.
  ('service', 'select', '{access_keys.expires_at, access_keys.revoked_at, access_keys.replaced_by}'),
  ('service', 'select', '{migrations.name, sequences_behind, transactions_ahead}'),
  ('service', 'execute', '{set_mirrors, find_keys, find_campaigns}'),
  ('redirector', 'usage', '{schema campaign_mirror}'),
  ('redirector', 'select', '{current_mirrors}'),
  ('redirector', 'execute', '{changes_since, count_clicks}'),
  -- Imports keep the numbers of campaigns, and use a temporary table.
  ('operator', 'usage', '{schema campaign_mirror, campaigns_id_seq, mirrors_id_seq}'),
  ('operator', 'temporary', '{the database}'),
  ('operator', 'select', '{campaigns, mirrors, access_keys, mirror_history, operator_audit, key_uses, deletions}'),
  ('operator', 'select', '{current_mirrors, migrations, sequences_behind, transactions_ahead}'),
  ('operator', 'select', '{campaigns_id_seq, mirrors_id_seq}'),
  -- The database sets the other columns, such as last_change_id. To delete a mirror locks it: a right to update.
  ('operator', 'insert', '{campaigns, access_keys, mirrors.id, mirrors.campaign_id, mirrors.target_url}'),
  ('operator', 'insert', '{mirrors.clicks, mirrors.updated_externally, mirrors.updated_externally_at}'),
  ('operator', 'insert', '{mirrors.created_at, mirrors.updated_at}'),
  ('operator', 'update', '{campaigns.owner_id, campaigns.is_default, mirrors.clicks}'),
  ('operator', 'update', '{access_keys.expires_at, access_keys.revoked_at, access_keys.replaced_by}'),
  ('operator', 'update', '{campaigns_id_seq, mirrors_id_seq}'),
  ('operator', 'delete', '{campaigns}'),
  ('operator', 'execute', '{prune_history, delete_mirror, changes_since, find_keys, find_campaigns, set_mirrors}'),
  -- The last two are called by triggers, on the rows that the operator writes.
  ('operator', 'execute', '{set_mirrors_as_operator, is_address, passed}')
