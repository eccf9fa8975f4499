import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';

/**
 * The least that could carry out the contract: Node's own HTTP and the driver, two named statements, nothing that
 * locks, records, logs or checks more than it must. What ours costs is counted from here.
 */
const { DATABASE_URL, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });

const whoIs = {
  name: 'who-is',
  text: `select id, owner_id from campaign_mirror.access_keys
    where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
};

const time = (column: string) => `to_char(m.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const setMirror = {
  name: 'set-mirror',
  text: `update campaign_mirror.mirrors m
    set target_url = $3, updated_externally = true, updated_externally_at = now(), updated_at = now()
    from campaign_mirror.campaigns c
    where c.id = $1 and c.owner_id = $2 and not c.is_default and m.campaign_id = c.id
    returning m.id, m.campaign_id, m.target_url, m.clicks, m.updated_externally,
      ${time('updated_externally_at')} as updated_externally_at, ${time('created_at')} as created_at,
      ${time('updated_at')} as updated_at`,
};

const path = /^\/public\/v1\/mirror\/campaign\/([1-9][0-9]{0,15})\/mirror$/;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const campaign = path.exec(request.url ?? '')?.[1];
  if (request.method !== 'POST' || campaign === undefined) return send(response, 404, 'Not Found');
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

function read(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    request.setEncoding('utf8');
    request
      .on('data', (part: string) => {
        text += part;
      })
      .on('end', () => resolve(text))
      .on('error', reject);
  });
}

function send(response: ServerResponse, status: number, message: string): void {
  sendBody(response, status, JSON.stringify({ message }));
}

function sendBody(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

createServer((request, response) => {
  answer(request, response).catch((error) => send(response, 500, String(error)));
}).listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
