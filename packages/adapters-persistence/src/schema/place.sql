-- Where the schema is, and whether its comment, which a dump carries, names another place: the identifier of a server
-- (of any, `%`, where this user may not ask for it: as a text, the query is judged only when it runs), the database's
-- number and the schema's. Of a comment without a place, or of none, nothing is known.
select comment, place, place not like noted and noted not like place as moved
from (
  select obj_description(oid, 'pg_namespace') as comment, concat_ws('/', coalesce(case
      when has_function_privilege('pg_control_system()', 'execute') then substring(
        query_to_xml('select system_identifier from pg_control_system()', false, true, '')::text from '[0-9]{9,}')
      end, '%'), (select oid from pg_database where datname = current_database()), oid) as place
  from pg_namespace where nspname = 'campaign_mirror'
) as here, nullif(split_part(comment, ' in ', 2), '') as noted
