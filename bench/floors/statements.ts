/** The floor's two statements. */
export const whoIs = {
  name: 'who-is',
  text: `select id, owner_id from campaign_mirror.access_keys
    where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
};

const time = (column: string) => `to_char(m.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
export const setMirror = {
  name: 'set-mirror',
  text: `update campaign_mirror.mirrors m
    set target_url = $3, updated_externally = true, updated_externally_at = now(), updated_at = now()
    from campaign_mirror.campaigns c
    where c.id = $1 and c.owner_id = $2 and not c.is_default and m.campaign_id = c.id
    returning m.id, m.campaign_id, m.target_url, m.clicks, m.updated_externally,
      ${time('updated_externally_at')} as updated_externally_at, ${time('created_at')} as created_at,
      ${time('updated_at')} as updated_at`,
};
