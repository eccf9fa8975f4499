/** Changes of SQL that change nothing that can be noticed: by file, the line as it would be, and why. */
export const equivalent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'access-keys.ts': {
    'update campaign_mirror.access_keys set revoked_at = now()': 'the time since the transaction began',
    'with timed as materialized (select now() as now)': 'the time since the transaction began',
    'set expires_at = least(expires_at, now() + make_interval(secs => ?)), replaced_by = ?':
      'the time since the transaction began',
    'from campaign_mirror.access_keys, timed where id = ? and (expires_at is null or expires_at >= now)':
      'the microsecond at which a key expires',
  },
  'audit-triggers.ts': {
    "greatest(now(), (select changed_at + interval '1 microsecond'": 'the time since the transaction began',
    "jsonb_build_object('hosts', left(string_agg(host, ',' order by host), 10001))) from allowed having count(*) > 0;":
      'a byte more',
  },
  'campaign-records.ts': {
    '`;': 'the plan gives this order by itself',
    'and true': 'more addresses are candidates, each of which the program judges',
    "or strpos(lowered, '%') >= 0 and lowered ~ '%(25)*(2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a])'`;":
      'what it leaves out cannot match: it is for the speed',
    "or strpos(lowered, '%') > 1 and lowered ~ '%(25)*(2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a])'`;":
      'an address does not begin with it',
    "or strpos(lowered, '%') > 0 and true`;":
      'more addresses are candidates, each of which the program judges',
  },
  'enforced.ts': {
    'and true;': 'a mirror that has the facts of its campaign is written as it is',
    "from asked cross join here left join pg_class on relnamespace = here.oid and relname = name and true where kind = 'view'":
      'a table in its place is a fault, too, in other words',
    'where proname in (select name from asked where true)':
      'a function of another role with the name of one of our tables or triggers',
    "`(current_setting('server_version_num')::int <= 190000": 'a PostgreSQL that there is not yet',
    "`(current_setting('server_version_num')::int < 190001": 'a PostgreSQL that there is not yet',
    "from here left join pg_class on relnamespace = here.oid and relkind = 'r' and relname = any ('{${Object.keys(constraintTexts)}}'),":
      'without a table no fault is one',
    "from here join pg_class on relnamespace = here.oid and true and relname = any ('{${Object.keys(constraintTexts)}}'),":
      'no other object of this schema has the name of a table',
    '`;': 'the order in which they are examined is that of their places',
  },
  'follow-changes.ts': {
    'from (values (2)) as one left join (': 'nobody reads it',
    'select position, change_id, (row_number() over (order by change_id) + 1) / 1000 as part':
      'the size of the parts',
    'select position, change_id, (row_number() over (order by change_id) - 2) / 1000 as part':
      'the size of the parts',
    'select position, change_id, (row_number() over (order by change_id) - 1) / 1001 as part':
      'the size of the parts',
    'select position, change_id, (row_number() over () - 1) / 1000 as part':
      'the plan gives this order by itself',
    '`;': 'the plan gives this order by itself',
    '${entries} from campaign_mirror.mirror_history where id = any ($1::bigint[]) and ${wanted} `;':
      'the plan gives this order by itself',
  },
  'identity.ts': {
    '`,': 'the plan gives this order by itself',
    'from campaign_mirror.access_keys where hash = asked.hash':
      'there is one at most; the limit is for the plan',
    'from campaign_mirror.campaigns where id = asked.campaign':
      'there is one at most; the limit is for the plan',
    "when expires_at < clock_timestamp() then 'expired-key' end as refused, array_to_string(hosts, ',') as hosts":
      'the microsecond at which a key expires',
    "when expires_at <= now() then 'expired-key' end as refused, array_to_string(hosts, ',') as hosts":
      'a transaction of its own: the time since it began',
  },
  'keys.ts': {
    'and expires_at >= now() and expires_at <= now() + ${interval}`;':
      'the microsecond at which a key expires',
    'and expires_at > now() and expires_at < now() + ${interval}`;': 'the microsecond at which the time ends',
    "where access_key_id = any (keys) and used_at <= clock_timestamp() - interval '1 minute'":
      'the microsecond at which a minute ends',
    "where access_key_id = any (keys) and used_at < now() - interval '1 minute'":
      'the time since the transaction began',
    'update campaign_mirror.key_uses as uses set used_at = now()': 'the time since the transaction began',
    'select id, now() from campaign_mirror.access_keys': 'the time since the transaction began',
  },
  'history-and-audit.ts': {
    'select ${timestampText(\'older_than\')} as "olderThan", extract(epoch from now())::float8 as time,':
      'the time since the transaction began',
    "where changed_at < ${time}::timestamptz - interval '1 minute' order by id limit 1), 0))`;":
      'what it leaves out lies before that time: it is for the plan',
    "where changed_at < ${time}::timestamptz - interval '1 minute' limit 1), 0))`;":
      'what it leaves out lies before that time: it is for the plan',
    '${entries} from chain where $2::bigint is null or id <= $2 limit $3`;':
      'of a change of the campaign, the chain begins before it; another is none of the chain',
    'and true`;': 'what it leaves out lies before that time: it is for the plan',
    ') => `(${time}::timestamptz is null or changed_at >= ${time} or id >= ${after}::bigint)':
      'one that is known',
    'and id >= least(${after}, coalesce((': 'the change itself lies before that time',
    'and id > least(${after}, ( 0))`;': 'what it leaves out lies before that time: it is for the plan',
    "where changed_at <= ${time}::timestamptz - interval '1 minute' order by id desc limit 1), 0))`;":
      'what it leaves out lies before that time: it is for the plan',
    "where changed_at < ${time}::timestamptz - interval '2 minute' order by id desc limit 1), 0))`;":
      'what it leaves out lies before that time: it is for the plan',
    'with moment as materialized (select now() - make_interval(secs => $1) as older_than), newest as (':
      'the time since the transaction began',
    '(select changed_at <= older_than from newest) is true as "newestIsOld", old.*':
      'the microsecond at which a change is that old',
    'select count(*) as old, max(id) as "upTo" from campaign_mirror.mirror_history where changed_at <= older_than':
      'the microsecond at which a change is that old',
  },
  'operator-mirrors.ts': {
    'where id = $1 and true and part_of is null and last_change_id > $2': 'only moves have such changes',
    "where id = $1 and act = 'mirrors-moved' and true and last_change_id > $2":
      'the number of a part is refused before',
    "where id = $1 and act = 'mirrors-moved' and part_of is null and true":
      'what it leaves out has no change after that one: it is for the plan',
    "where id = $1 and act = 'mirrors-moved' and part_of is null and last_change_id >= $2":
      'what it leaves out has no change after that one: it is for the plan',
    'select * from campaign_mirror.operator_audit where part_of = $1 and true':
      'what it leaves out has no change after that one: it is for the plan',
    'select * from campaign_mirror.operator_audit where part_of = $1 and last_change_id >= $2':
      'what it leaves out has no change after that one: it is for the plan',
    'limit $3)': 'the index gives this order by itself',
    'order by last_change_id )': 'more parts than a page needs: it is for the speed',
    ') as parts limit $3`;': 'the plan gives this order by itself',
    ') as parts order by last_change_id `;': 'more parts than a page needs: it is for the speed',
    'from campaign_mirror.mirror_history where audit_id = $1 and id between $2 and $3 limit $4`;':
      'the plan gives this order by itself',
  },
  'tables.ts': {
    'create index parts_of_a_move on campaign_mirror.operator_audit (part_of, last_change_id) where true;':
      'a larger index',
    'create index acts_on_a_campaign on campaign_mirror.operator_audit (campaign_id, id) where true;':
      'a larger index',
    'acted_at timestamptz(6) default now(),': 'the time since the transaction began',
  },
  'feed.ts': {
    'from asked left join campaign_mirror.mirrors on mirrors.campaign_id = asked.campaign_id':
      'a campaign without a mirror finds none to lock, and null is in no list',
    'const isAhead = `transaction_id > pg_snapshot_xmax(pg_current_snapshot())':
      'the number that this server gives next is ahead for the time until then',
    'where transaction_id >= lowest and transaction_id <= pg_snapshot_xmax(here)':
      'the number that this server gives next is ahead for the time until then',
    'select transaction_id from campaign_mirror.mirror_history where ${isAhead} order by transaction_id desc ;`;':
      'who reads it takes the first row',
    'if false then return; end if;':
      'without a row that is ahead, what follows changes nothing; it only takes longer',
    "|| (extract(epoch from (select stats_reset from pg_stat_bgwriter))) || '/';":
      'statistics that were never reset: a server has that time from its beginning',
    'null;': 'for a position of null, what follows finds nothing',
    "|| coalesce(extract(epoch from (select stats_reset from pg_stat_bgwriter)), 1) || '/';":
      'any number stands for statistics that were never reset',
    'select transaction_id from campaign_mirror.mirror_history where ${isAhead} limit 1;`;':
      'one row that is ahead is as good as another; the order is for the index',
    'if not exists (select from campaign_mirror.transactions_ahead) then null; end if;':
      'without a row that is ahead, what follows changes nothing; it only takes longer',
  },
  'history-functions.ts': {
    "perform set_config('campaign_mirror.pruning', 'off', false);":
      'off for the session is off, as for the transaction',
  },
  'mirror-triggers.ts': {
    'new.created_at := least(new.created_at, now());': 'the time since the transaction began',
    'new.updated_at := least(new.updated_at, now());': 'the time since the transaction began',
    'if new.updated_externally_at >= new.updated_at then new.updated_externally_at := new.updated_at; end if;':
      'it is the same time',
    'for each row when (true) execute function campaign_mirror.refuse_address();':
      'the function examines it, too; it only takes longer',
    'for each row when (true) execute function campaign_mirror.refuse_address();`;':
      'what set_mirrors_if writes, it has examined; it only takes longer',
    'new.created_at := now();': 'the time since the transaction began',
    'when (new.created_at >= clock_timestamp()) execute function campaign_mirror.set_time_to_now();`,':
      'the microsecond of the insertion',
    'when (new.created_at > now()) execute function campaign_mirror.set_time_to_now();`,':
      'the time since the transaction began',
  },
  'set-mirrors.ts': {
    "if true and ${holds('conditions[1]', 'mirror.last_change_id')} then":
      'without a mirror nothing is updated; it only spends a number',
    'select asked.place, mirror.id, mirror.clicks, extract(epoch from mirror.created_at), null, (mirror.last_change_id),':
      'who reads it takes null for 0',
    'select one.owner_id, one.is_default from campaign_mirror.campaigns as one where one.id = asked.campaign_id':
      'there is one at most; the limit is for the plan',
    "case when not is_move then max(campaign_id) end, audited_owner, details || case when is_move then jsonb_build_object('mirrors', count(*)) else":
      'what is no move has one change',
    "jsonb_build_object('address_before', max(address_before), 'address_after', min(address_after)) end,":
      'what is no move has one change',
    "jsonb_build_object('address_before', min(address_before), 'address_after', max(address_after)) end,":
      'what is no move has one change',
    'from campaign_mirror.mirror_history where true and audit_id = new_entry having count(*) > 0;':
      'the entry has no earlier change: it is for the plan',
    'select one.* from campaign_mirror.mirrors as one where one.campaign_id = asked.campaign_id':
      'there is one at most; the limit is for the plan',
    'and one.revoked_at is null and (one.expires_at is null or one.expires_at >= clock_timestamp())) end)`;':
      'the microsecond at which a key expires',
  },
};
