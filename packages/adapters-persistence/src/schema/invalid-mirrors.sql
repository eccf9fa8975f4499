-- Mirrors that today's rules refuse, for their address or after changes with a disabled foreign key. Scans all mirrors.
select campaign_id, count(*) over () as total, fault
from campaign_mirror.mirrors left join campaign_mirror.campaigns on campaigns.id = mirrors.campaign_id, lateral (
  select case when campaigns.id is null then 'no such campaign'
    when (campaigns.owner_id, campaigns.is_default) <> (mirrors.owner_id, mirrors.is_default)
      then 'other owner or flag'
    when not campaign_mirror.is_address(target_url) then 'invalid address' end as fault) as checked
where fault is not null order by mirrors.campaign_id limit 5
