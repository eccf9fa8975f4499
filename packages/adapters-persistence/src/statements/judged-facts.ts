/** What makes a key valid. */
const isValid = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())';

/**
 * True where the key is valid and its owner's, else null; both as SQL has them. A number may be another key's than when
 * it was claimed, in a database that was put back from a backup; one of the same owner is not told apart from it, which
 * gives its holder no more than the owner has.
 */
export const provenKey = (id: string, owner: string) =>
  `(select true from campaign_mirror.access_keys where id = ${id} and owner_id = ${owner} and ${isValid})`;

/** The valid key with this hash, given as SQL has it. */
export const keyOf = (hash: string) =>
  `select access_keys.id, access_keys.owner_id from campaign_mirror.access_keys where hash = ${hash} and ${isValid}`;

/** The campaign of this identifier, given as SQL has it: a row of `CampaignColumns`. */
export const campaignOf = (id: string) => `
  select owner_id as campaign_owner_id, is_default,
    (select true from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
  from campaign_mirror.campaigns where id = ${id}`;
