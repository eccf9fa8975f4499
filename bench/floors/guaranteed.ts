import { hash, randomUUID } from 'node:crypto';
import { setMirrorText } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { timestampAt } from '../../packages/adapters-persistence/src/epoch-seconds.ts';
import { lookUpOne } from '../../packages/adapters-persistence/src/grouped-look-ups.ts';
import { campaignIn, keyIn, read, send, sendBody, serve } from './http.ts';

/**
 * The floor, with our own two statements in the place of its own: what the ownership lock and the history cost in
 * PostgreSQL, since nothing else is added. With one connection it is about the most that a service with these
 * statements can do.
 */
const { DATABASE_URL } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const setMirror = { name: 'set-mirror', text: setMirrorText };

serve(async (request, response) => {
  const id = campaignIn(request);
  if (id === undefined) return send(response, 404, 'Not Found');
  const key = keyIn(request);
  const body = await read(request);
  const seen = (await pool.query({ ...lookUpOne, values: [hash('sha256', key, 'buffer'), id] })).rows[0];
  if (seen.id === null) return send(response, 401, 'Unauthenticated.');
  const { campaign_owner_id: owner, is_default: isDefault } = seen;
  if (owner === null) return send(response, 404, 'Not Found');
  if (owner !== seen.owner_id || isDefault || !seen.has_mirror) {
    return send(response, 403, 'This action is unauthorized.');
  }
  const address = JSON.parse(body).mirror_endpoint;
  if (typeof address !== 'string' || !URL.canParse(address)) return send(response, 422, 'Invalid');
  const values = [id, owner, isDefault, address, seen.id, randomUUID()];
  const [row] = (await pool.query({ ...setMirror, values })).rows;
  if (!row) return send(response, 403, 'This action is unauthorized.');
  const changed = timestampAt(row.changed_at);
  const mirror = {
    id: Number(row.id),
    campaign_id: Number(id),
    target_url: address,
    clicks: Number(row.clicks),
    updated_externally: true,
    updated_externally_at: changed,
    created_at: timestampAt(row.created_at),
    updated_at: changed,
  };
  sendBody(response, 200, JSON.stringify({ mirror }));
});
