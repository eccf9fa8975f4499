-- The location has the identifiers of server, database and schema, with `%` if the user may not identify the server. A
-- dump contains the comment with the former location. The inner query is a text: it needs its right only where it runs.
select comment, location, location not like recorded and recorded not like location as moved
from (
  select obj_description(oid, 'pg_namespace') as comment, concat_ws('/',
    case when has_function_privilege('pg_control_system()', 'execute') then substring(query_to_xml(
      'select system_identifier from pg_control_system()', false, true, '')::text from '[0-9]{9,}')
      else '%' end,
    (select oid from pg_database where datname = current_database()), oid) as location
  from pg_namespace where nspname = 'campaign_mirror'
) as here, nullif(split_part(comment, ' in ', 2), '') as recorded
