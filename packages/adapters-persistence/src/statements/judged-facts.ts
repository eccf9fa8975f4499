/** When a key is valid. */
const isValid = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())';

/** The valid key with this hash, an SQL expression. */
export const keyOf = (hash: string) =>
  `select access_keys.id, access_keys.owner_id from campaign_mirror.access_keys where hash = ${hash} and ${isValid}`;

/** The campaign with this identifier, an SQL expression: a row of `CampaignColumns`. */
export const campaignOf = (id: string) => `
  select owner_id as campaign_owner_id, is_default,
    (select true from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
  from campaign_mirror.campaigns where id = ${id}`;
