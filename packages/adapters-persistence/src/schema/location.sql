-- The location of the schema: the identifiers of server, database and schema, or `%` for a server that the user may not
-- identify. `moved`: the comment of the schema, which a dump contains, names another location. The query of the server
-- is a text, so that it needs the right only where it runs.
select comment, location, location not like recorded and recorded not like location as moved
from (
  select obj_description(oid, 'pg_namespace') as comment, concat_ws('/',
    case when has_function_privilege('pg_control_system()', 'execute') then substring(query_to_xml(
      'select system_identifier from pg_control_system()', false, true, '')::text from '[0-9]{9,}')
      else '%' end,
    (select oid from pg_database where datname = current_database()), oid) as location
  from pg_namespace where nspname = 'campaign_mirror'
) as here, nullif(split_part(comment, ' in ', 2), '') as recorded
