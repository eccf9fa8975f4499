import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { campaignIn, read, send, sendBody } from './http.ts';
import { setMirror, whoIs } from './statements.ts';

/**
 * The least that could carry out the contract: Node's own HTTP and the driver, two named statements, nothing that
 * locks, records, logs or checks more than it must. What ours costs is counted from here.
 */
const { DATABASE_URL, PORT, POOL = '10' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL) });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const campaign = campaignIn(request);
  if (campaign === undefined) return send(response, 404, 'Not Found');
  const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
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
}

createServer((request, response) => {
  answer(request, response).catch((error) => send(response, 500, String(error)));
}).listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
