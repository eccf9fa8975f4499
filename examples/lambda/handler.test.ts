import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const issuer = 'https://issuer.example/';

/** On a store in memory; yours would be the campaigns of `openHotPath` on a pool. */
const entry = `
  import { InMemoryCampaigns, InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
  import { openHotPath } from '@campaign-mirror/adapters-persistence/sql';
  import { handlerOf } from './handler.ts';
  export const store = new InMemoryStore();
  export const handler = (keySet) => handlerOf(new InMemoryCampaigns(store), '${issuer}', keySet);
  export { openHotPath };`;

test('bundled into one file, without node_modules, it answers the events of a gateway by what a token says', async () => {
  const outfile = join(await mkdtemp(join(tmpdir(), 'lambda-')), 'handler.cjs');
  const stdin = { contents: entry, resolveDir: import.meta.dirname };
  await build({ bundle: true, platform: 'node', format: 'cjs', external: ['pg-native'], stdin, outfile });
  const { handler, store } = createRequire(outfile)(outfile);

  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
  const provider = createServer((_request, response) => response.end(JSON.stringify(keySet)));
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const handle = handler(new URL(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`));
  const token = (owner: number, audience = 'campaign-mirror') =>
    new SignJWT({ owner_id: owner })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('client-4')
      .setExpirationTime('5 minutes')
      .sign(privateKey);

  const campaign = store.createCampaign(7);
  store.createMirror(campaign, 'https://first.example/');
  const path = `/public/v1/mirror/campaign/${campaign}/mirror`;
  const url = 'https://second.example/?é={click_id}';
  const call = (credential: string, more: object = {}, body = JSON.stringify({ mirror_endpoint: url })) => {
    const requestContext = { http: { method: 'POST', path, sourceIp: '192.0.2.1' } };
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json', ...more };
    const event = { version: '2.0', rawPath: path, headers, requestContext, body, isBase64Encoded: false };
    return handle(event, {});
  };

  const { statusCode, body } = await call(await token(7));
  assert.equal(statusCode, 200, body);
  assert.equal(JSON.parse(body).mirror.target_url, url);
  const statuses = [
    await call(await token(8)),
    await call(await token(7, 'another-service')),
    await call('no token'),
    await call(await token(7), {}, '{'),
    await call(await token(7), { 'content-type': 'text/plain' }),
  ].map((answer) => answer.statusCode);
  assert.deepEqual(statuses, [403, 401, 401, 400, 415]);
  assert.equal(store.history.at(-1).subject, 'jwt:client-4');
  assert.equal(store.history.length, 1);
  provider.close().closeAllConnections();
});
