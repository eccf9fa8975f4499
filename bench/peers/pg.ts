import type pg from 'pg';
import {
  type Answer,
  addressIn,
  type Campaign,
  keyHash,
  mayChange,
  missing,
  unauthenticated,
  unauthorized,
} from './contract.ts';

const whoIs = {
  name: 'who-is',
  text: `select owner_id as "ownerId" from campaign_mirror.access_keys
    where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
};
const find = {
  name: 'find',
  text: `select c.owner_id as "ownerId", c.is_default as "isDefault", m.id is not null as "hasMirror"
    from campaign_mirror.campaigns c left join campaign_mirror.mirrors m on m.campaign_id = c.id where c.id = $1`,
};
const time = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`;
const setMirror = {
  name: 'set-mirror',
  text: `update campaign_mirror.mirrors
    set target_url = $2, updated_externally = true, updated_externally_at = now(), updated_at = now()
    where campaign_id = $1
    returning id, campaign_id, target_url, clicks, updated_externally, ${time('updated_externally_at')},
      ${time('created_at')}, ${time('updated_at')}`,
};

/** How a service on the driver alone sets a mirror: three named statements, one after the other. */
export async function answerFrom(
  pool: pg.Pool,
  campaignId: string,
  authorization: string | undefined,
  body: unknown,
): Promise<Answer> {
  const hash = keyHash(authorization);
  if (!hash) return unauthenticated;
  const [caller] = (await pool.query<{ ownerId: string }>({ ...whoIs, values: [hash] })).rows;
  if (!caller) return unauthenticated;
  if (!/^[1-9][0-9]{0,15}$/.test(campaignId)) return missing(campaignId);
  const [campaign] = (await pool.query<Campaign>({ ...find, values: [campaignId] })).rows;
  if (!campaign) return missing(campaignId);
  if (!mayChange(caller, campaign)) return unauthorized;
  const address = addressIn(body);
  if (typeof address !== 'string') return address;
  const [row] = (await pool.query({ ...setMirror, values: [campaignId, address] })).rows;
  const [id, campaign_id, clicks] = [Number(row.id), Number(row.campaign_id), Number(row.clicks)];
  return { status: 200, body: { mirror: { ...row, id, campaign_id, clicks } } };
}
