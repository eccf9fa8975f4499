import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const secret = 'a secret of thirty-two characters';
const { DATABASE_URL } = process.env;
const main = fileURLToPath(new URL('service.ts', import.meta.url));
const env = { ...process.env, GATEWAY_SECRET: secret, PORT: '0', OPS_PORT: '0', DOCS: 'off' };
const service = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
after(() => service.kill('SIGKILL'));

const signed = (owner: number, user: string, milliseconds = 60_000) => {
  const claims = JSON.stringify({ owner, user, until: Date.now() + milliseconds });
  const text = Buffer.from(claims).toString('base64url');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

test('whom the gateway names sets the mirror, and nobody else does; the history says who', async () => {
  let port = 0;
  for await (const line of createInterface(service.stdout)) {
    const { event, ...more } = JSON.parse(line);
    if (event === 'listening') port = more.port;
    if (port > 0) break;
  }
  service.stdout.resume();
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(`
    with campaign as (insert into campaign_mirror.campaigns (owner_id) values (7) returning id)
    insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url)
    select id, 7, false, 'https://first.example/' from campaign returning campaign_id as id`);

  const call = async (headers: Record<string, string>) => {
    const url = `http://127.0.0.1:${port}/public/v1/mirror/campaign/${rows[0].id}/mirror`;
    const body = JSON.stringify({ mirror_endpoint: 'https://second.example/' });
    const json = { 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers: { ...json, ...headers }, body })).status;
  };
  const gateway = (credential: string) => call({ 'X-Gateway-Caller': credential });
  assert.equal(await gateway(signed(7, 'ada')), 200);
  assert.equal(await gateway(signed(8, 'bob')), 403);
  const expired = signed(7, 'ada', -1);
  const forged = `${signed(7, 'ada').split('.')[0]}.${signed(8, 'ada').split('.')[1]}`;
  for (const credential of [expired, forged, 'x']) assert.equal(await gateway(credential), 401);
  assert.equal(await call({ authorization: `Bearer ${signed(7, 'ada')}` }), 401);

  const campaign = [rows[0].id];
  const history = 'select actor, subject from campaign_mirror.mirror_history where campaign_id = $1';
  assert.deepEqual((await client.query(history, campaign)).rows, [{ actor: 'gateway', subject: 'ada' }]);
  await client.end();
  service.kill('SIGTERM');
  assert.deepEqual(await once(service, 'exit'), [0, null]);
});
