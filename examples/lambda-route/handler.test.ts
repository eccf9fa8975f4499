import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';

/** On a store in memory; yours would be `openHotPath` on a pool. */
const entry = `
  import { InMemoryCampaigns, InMemoryIdentity, InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
  import { openHotPath } from '@campaign-mirror/adapters-persistence/sql';
  import { SetCampaignMirror } from '@campaign-mirror/domain';
  import { handlerOf } from './handler.ts';
  export const store = new InMemoryStore();
  export const handler = handlerOf(new SetCampaignMirror(new InMemoryCampaigns(store), new InMemoryIdentity(store)));
  export { openHotPath };`;

test('bundled into one file, without node_modules, it answers the events of a gateway', async () => {
  const outfile = join(await mkdtemp(join(tmpdir(), 'lambda-')), 'handler.cjs');
  const stdin = { contents: entry, resolveDir: import.meta.dirname };
  await build({ bundle: true, platform: 'node', format: 'cjs', external: ['pg-native'], stdin, outfile });
  const { handler, store } = createRequire(outfile)(outfile);

  const campaign = store.createCampaign(1);
  store.createMirror(campaign, 'https://first.example/');
  const { key } = store.issueKey(1);
  const path = `/public/v1/mirror/campaign/${campaign}/mirror`;
  const url = 'https://second.example/?é={click_id}';
  const call = (headers: object, body = JSON.stringify({ mirror_endpoint: url })) => {
    const requestContext = { http: { method: 'POST', path, sourceIp: '192.0.2.1' } };
    const event = { version: '2.0', rawPath: path, headers, requestContext, body, isBase64Encoded: false };
    return handler(event, {});
  };

  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { statusCode, body } = await call(headers);
  assert.equal(statusCode, 200, body);
  assert.equal(JSON.parse(body).mirror.target_url, url);
  const refused = [
    await call({}),
    await call(headers, '{'),
    await call({ authorization: headers.authorization }),
  ];
  assert.deepEqual(
    refused.map((answer) => answer.statusCode),
    [401, 400, 415],
  );
});
