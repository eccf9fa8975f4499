/** When a key is valid. */
const isValid = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())';

/**
 * True where the key is valid and belongs to this owner, or where the caller has no key; else null. The arguments are
 * SQL expressions. In a database restored from a backup, a number may belong to another key than when it was claimed;
 * one of the same owner passes, which gives its holder no more than the owner has.
 */
export const provenCaller = (key: string, owner: string) =>
  `(case when ${key} is null then true else
    (select true from campaign_mirror.access_keys where id = ${key} and owner_id = ${owner} and ${isValid}) end)`;

/** The valid key with this hash, an SQL expression. */
export const keyOf = (hash: string) =>
  `select access_keys.id, access_keys.owner_id from campaign_mirror.access_keys where hash = ${hash} and ${isValid}`;

/** The campaign with this identifier, an SQL expression: a row of `CampaignColumns`. */
export const campaignOf = (id: string) => `
  select owner_id as campaign_owner_id, is_default,
    (select true from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
  from campaign_mirror.campaigns where id = ${id}`;
