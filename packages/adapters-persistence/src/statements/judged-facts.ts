/** The key with this hash, an SQL expression: a row of `KeyColumns`. */
export const keyOf = (hash: string) => `
  select access_keys.id, access_keys.owner_id, case when revoked_at is not null then 'revoked-key'
    when expires_at <= clock_timestamp() then 'expired-key' end as refused
  from campaign_mirror.access_keys where hash = ${hash}`;

/** The campaign with this identifier, an SQL expression: a row of `CampaignColumns`. */
export const campaignOf = (id: string) => `
  select owner_id as campaign_owner_id, is_default,
    (select true from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
  from campaign_mirror.campaigns where id = ${id}`;
