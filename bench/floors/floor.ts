import { hash } from 'node:crypto';
import pg from 'pg';
import { campaignIn, keyIn, read, send, sendBody, serve } from './http.ts';
import { setMirror, whoIs } from './statements.ts';

/**
 * The least that could carry out the contract: Node's own HTTP and the driver, two named statements, nothing that
 * locks, records, logs or checks more than it must. What ours costs is counted from here.
 */
const { DATABASE_URL, POOL = '10' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL) });

serve(async (request, response) => {
  const campaign = campaignIn(request);
  if (campaign === undefined) return send(response, 404, 'Not Found');
  const key = keyIn(request);
  const body = await read(request);
  const keys = await pool.query({ ...whoIs, values: [hash('sha256', key, 'buffer')] });
  if (keys.rows.length === 0) return send(response, 401, 'Unauthenticated.');
  const address = JSON.parse(body).mirror_endpoint;
  if (typeof address !== 'string' || !URL.canParse(address)) return send(response, 422, 'Invalid');
  const { rows } = await pool.query({ ...setMirror, values: [campaign, keys.rows[0].owner_id, address] });
  if (rows.length === 0) return send(response, 403, 'This action is unauthorized.');
  const [row] = rows;
  const [id, campaign_id, clicks] = [Number(row.id), Number(row.campaign_id), Number(row.clicks)];
  sendBody(response, 200, JSON.stringify({ mirror: { ...row, id, campaign_id, clicks } }));
});
