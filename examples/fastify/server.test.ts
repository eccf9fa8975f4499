import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { InMemoryStore } from '@campaign-mirror/port-contracts/in-memory';
import { server } from './server.ts';

test('the owner sets the mirror, and nobody else does', async () => {
  const store = new InMemoryStore();
  const owner = 1;
  const other = 2;
  const campaign = store.createCampaign(owner);
  store.createMirror(campaign, 'https://first.example/');
  const app = server(new SetCampaignMirror(store, store));
  const url = 'https://second.example/?click={click_id}';
  const put = async (key: string, id: number = campaign, payload: object | string = { url }) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await app.inject({ method: 'PUT', url: `/campaigns/${id}/mirror`, headers, payload })).statusCode;
  };

  const { key } = store.issueKey(owner);
  const { key: strangers } = store.issueKey(other);
  assert.deepEqual([await put(key), await put(strangers), await put('none')], [200, 403, 401]);
  assert.equal(await put(key, 4711), 404);
  const bodies = ['{}', '{"url":{}}', '{'];
  assert.deepEqual(await Promise.all(bodies.map((body) => put(key, campaign, body))), [422, 400, 400]);
  assert.equal(store.mirrors.get(campaign)?.targetUrl, 'https://second.example/?click={click_id}');
});
