/*
 * The least code that could keep the contract: Node's own HTTP and the driver, two named statements, without locks,
 * records, a log, or further checks. The cost of our service is compared with it.
 */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const whoIs = {
  name: 'who-is',
  text: `select id, owner_id from campaign_mirror.access_keys
    where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
};

const time = (column: string) =>
  `to_char(m.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`;
const setMirror = {
  name: 'set-mirror',
  text: `update campaign_mirror.mirrors m
    set target_url = $3, updated_externally = true, updated_externally_at = now(), updated_at = now()
    from campaign_mirror.campaigns c
    where c.id = $1 and c.owner_id = $2 and not c.is_default and m.campaign_id = c.id
    returning m.id, m.campaign_id, m.target_url, m.clicks, m.updated_externally,
      ${time('updated_externally_at')}, ${time('created_at')}, ${time('updated_at')}`,
};

const path = /^\/public\/v1\/mirror\/campaign\/([1-9][0-9]{0,15})\/mirror$/;

createServer(async (request, response) => {
  try {
    const campaign = request.method === 'POST' ? path.exec(request.url ?? '')?.[1] : undefined;
    if (campaign === undefined) return send(response, 404, { message: 'Not Found' });
    const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const body = await read(request);
    const keys = await pool.query({ ...whoIs, values: [hash('sha256', key, 'buffer')] });
    if (keys.rows.length === 0) return send(response, 401, { message: 'Unauthenticated.' });
    const address = JSON.parse(body).mirror_endpoint;
    if (typeof address !== 'string' || !URL.canParse(address))
      return send(response, 422, { message: 'Invalid' });
    const { rows } = await pool.query({ ...setMirror, values: [campaign, keys.rows[0].owner_id, address] });
    if (rows.length === 0) return send(response, 403, { message: 'This action is unauthorized.' });
    const [row] = rows;
    const [id, campaign_id, clicks] = [Number(row.id), Number(row.campaign_id), Number(row.clicks)];
    send(response, 200, { mirror: { ...row, id, campaign_id, clicks } });
  } catch (error) {
    send(response, 500, { message: String(error) });
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());

function read(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const parts: string[] = [];
  request.setEncoding('utf8').on('data', (part: string) => void parts.push(part));
  request.on('end', () => resolve(parts.join(''))).on('error', reject);
  return promise;
}

function send(response: ServerResponse, status: number, answer: object): void {
  const body = JSON.stringify(answer);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  };
  response.writeHead(status, headers).end(body);
}
