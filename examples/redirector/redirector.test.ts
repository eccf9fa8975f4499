import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setMirrorListener } from '@campaign-mirror/adapters-http';
import {
  migrate,
  openDatabase,
  openHotPath,
  PostgresAccessKeys,
  PostgresSettings,
} from '@campaign-mirror/adapters-persistence';
import { type Label, type MirrorAddress, type OwnerId, SetCampaignMirror } from '@campaign-mirror/domain';
import { parseIntoClientConfig } from 'pg-connection-string';
import { redirector } from './redirector.ts';

const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const address = parseIntoClientConfig(url);

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a changed mirror takes effect within a second, and every click is counted', async () => {
  await migrate(address);
  const database = await openDatabase(address);
  const act = { operator: 'test', requestId: 'test' };
  const settings = new PostgresSettings(database.orm, act);
  const owner = 5 as OwnerId;
  const campaign = await settings.createCampaign({ owner, isDefault: false });
  assert(campaign.kind === 'created');
  await settings.createMirror(campaign.id, 'https://first.example/' as MirrorAddress);
  const { key } = await new PostgresAccessKeys(database.orm, act).issue({ owner, name: 'test' as Label });
  const { campaigns, identity, uses } = openHotPath(database.pool);
  const service = createServer(setMirrorListener({ useCase: new SetCampaignMirror(campaigns, identity) }));
  const path = `${await listening(service)}/public/v1/mirror/campaign/${campaign.id}/mirror`;

  let time = 0;
  const visited = redirector(database.pool, () => time);
  const link = `${await listening(visited)}/c/${campaign.id}`;
  const visit = async () => (await fetch(link, { redirect: 'manual' })).headers.get('location');

  assert.equal(await visit(), 'https://first.example/');
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ mirror_endpoint: 'https://second.example/?click={click_id}' });
  assert.equal((await fetch(path, { method: 'POST', headers, body })).status, 200);
  time = 999;
  assert.equal(await visit(), 'https://first.example/');
  time = 1_000;
  assert.match((await visit()) ?? '', /^https:\/\/second\.example\/\?click=[0-9a-f-]{36}$/);

  const clicks = 'select clicks::int from campaign_mirror.mirrors where campaign_id = $1';
  while ((await database.pool.query(clicks, [campaign.id])).rows[0].clicks < 3) await visitNobody(link);
  assert.equal((await database.pool.query(clicks, [campaign.id])).rows[0].clicks, 3);
  for (const server of [service, visited]) server.close().closeAllConnections();
  await uses.stop();
  await database.close();
});

/** A turn of both servers, which counts nothing. */
async function visitNobody(link: string): Promise<void> {
  assert.equal((await fetch(link.replace(/\d+$/, '0'))).status, 404);
}
