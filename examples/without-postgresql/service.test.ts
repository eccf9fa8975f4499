import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the service answers, is ready and stops, and has neither connected to a database nor made one', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'without-postgresql-'));
  const main = fileURLToPath(new URL('service.ts', import.meta.url));
  // Without DATABASE_URL the service would start its embedded database.
  const { DATABASE_URL: _, ...given } = process.env;
  const env = { ...given, PORT: '0', OPS_PORT: '0', DOCS: 'off' };
  const service = spawn(process.execPath, [main], { cwd, env, stdio: 'pipe' });
  after(() => service.kill('SIGKILL'));
  const [firstLine] = await once(createInterface(service.stderr), 'line');
  const { campaign, key } = JSON.parse(firstLine);
  const events: string[] = [];
  const ports = { port: 0, opsPort: 0 };
  for await (const line of createInterface(service.stdout)) {
    const { event, port, opsPort } = JSON.parse(line);
    events.push(event);
    Object.assign(ports, { port, opsPort });
    if (event === 'listening') break;
  }
  service.stdout.resume();
  assert.deepEqual(events, ['starting', 'listening']);

  const url = `http://127.0.0.1:${ports.port}/public/v1/mirror/campaign/${campaign}/mirror`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ mirror_endpoint: 'https://second.example/' });
  assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200);
  const invalid = { ...headers, authorization: `Bearer ${key.slice(0, -1)}` };
  assert.equal((await fetch(url, { method: 'POST', headers: invalid, body })).status, 401);
  const ready = await fetch(`http://127.0.0.1:${ports.opsPort}/readyz`);
  assert.deepEqual(await ready.json(), { status: 'ready', checks: { accepting: true } });
  const metrics = await (await fetch(`http://127.0.0.1:${ports.opsPort}/metrics`)).text();
  assert.match(metrics, /^campaign_mirror_ready 1$/m);
  assert.doesNotMatch(metrics, /campaign_mirror_pool|campaign_mirror_statement/);

  service.kill('SIGTERM');
  assert.deepEqual(await once(service, 'exit'), [0, null]);
  assert.deepEqual(await readdir(cwd), []);
});
