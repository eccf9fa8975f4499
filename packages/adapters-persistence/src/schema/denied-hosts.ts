/** Adds hosts that no mirror may point to; whoever serves can add some, and cannot take any away. */
export const denyHosts = `
  create or replace function campaign_mirror.deny_hosts(hosts text[]) returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
    begin
      insert into campaign_mirror.denied_hosts
      select distinct host from unnest(hosts) as host order by host on conflict do nothing;
      if (select count(*) > 100000 from campaign_mirror.denied_hosts) then
        raise program_limit_exceeded using message = 'at most 100000 hosts can be denied';
      end if;
    end
  $$;`;
