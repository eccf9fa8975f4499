/** Changes of SQL that change nothing that can be noticed: by file, the line as it would be, and why. */
export const equivalent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'feed.ts': {
    "|| coalesce(extract(epoch from (select stats_reset from pg_stat_bgwriter)), -1) || '/';":
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
    'new.created_at := now();': 'the time since the transaction began',
    "or greatest(new.created_at, new.updated_at, new.updated_externally_at) >= clock_timestamp() + interval '1 hour')":
      'the microsecond at which a time is an hour ahead',
    'when (new.created_at >= clock_timestamp()) execute function campaign_mirror.set_time_to_now();`,':
      'the microsecond of the insertion',
    'when (new.created_at > now()) execute function campaign_mirror.set_time_to_now();`,':
      'the time since the transaction began',
    "when (new.created_at not between ${firstTime} and now() + interval '1 hour')":
      'the time since the transaction began',
  },
  'set-mirrors.ts': {
    'select one.* from campaign_mirror.mirrors as one where one.campaign_id = asked.campaign_id':
      'there is one at most; the limit is for the plan',
    'and one.revoked_at is null and (one.expires_at is null or one.expires_at >= clock_timestamp())) end)`;':
      'the microsecond at which a key expires',
  },
};
