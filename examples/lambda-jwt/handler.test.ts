import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { InMemoryCampaigns, InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { handler } from './handler.ts';

const issuer = 'https://issuer.example/';

test('the token names the owner, and the history its subject', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
  const provider = createServer((_request, response) => response.end(JSON.stringify(keySet)));
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const { port } = provider.address() as AddressInfo;
  const token = (owner: number, audience = 'campaign-mirror') =>
    new SignJWT({ owner_id: owner })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('client-4')
      .setExpirationTime('5 minutes')
      .sign(privateKey);

  const store = new InMemoryStore();
  const campaign = store.createCampaign(7);
  store.createMirror(campaign, 'https://first.example/');
  const handle = handler(new InMemoryCampaigns(store), issuer, new URL(`http://127.0.0.1:${port}/keys`));
  const call = async (credential: string) => {
    const { statusCode } = await handle({
      headers: { authorization: `Bearer ${credential}` },
      pathParameters: { campaign: String(campaign) },
      body: JSON.stringify({ mirror_endpoint: 'https://second.example/' }),
      requestContext: { requestId: 'request-1' },
    });
    return statusCode;
  };

  assert.equal(await call(await token(7)), 200);
  assert.equal(await call(await token(8)), 403);
  assert.equal(await call(await token(7, 'another-service')), 401);
  assert.equal(store.history.at(-1)?.subject, 'jwt:client-4');
  assert.equal(store.history.length, 1);
  provider.close().closeAllConnections();
});
