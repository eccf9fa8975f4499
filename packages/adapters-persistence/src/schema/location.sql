-- Where the schema is, and whether its comment, which a dump carries, says another place: the identifiers of
-- server, database and schema. `%` is any server, where the user may not ask: the query is a text, so that it
-- needs the right only where it runs.
select comment, place, place not like noted and noted not like place as moved
from (
  select obj_description(oid, 'pg_namespace') as comment, concat_ws('/',
    case when has_function_privilege('pg_control_system()', 'execute') then substring(query_to_xml(
      'select system_identifier from pg_control_system()', false, true, '')::text from '[0-9]{9,}')
      else '%' end,
    (select oid from pg_database where datname = current_database()), oid) as place
  from pg_namespace where nspname = 'campaign_mirror'
) as here, nullif(split_part(comment, ' in ', 2), '') as noted
