import { openapiPath } from '@campaign-mirror/adapters-http/service';
import { migrationNames } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import * as processes from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

const { eventsOf } = processes;
type Listening = processes.Listening;

describe('docs: settings: a process of the service obeys its settings', () => {
  const data = serviceDataOf('test');
  const serving = (more: Record<string, string>) => processes.listeningService(data.settings(more));

  for (const [TRUSTED_PROXIES, warnings, client] of [
    ['', ['0.0.0.0'], '127.0.0.1'],
    ['127.0.0.1, 10.0.0.0/8', [], '203.0.113.9'],
  ] as const)
    it(`HOST=0.0.0.0 TRUSTED_PROXIES=${TRUSTED_PROXIES}: the client is ${client}`, async () => {
      const { process, base } = await serving({ HOST: '0.0.0.0', TRUSTED_PROXIES });
      const headers = { 'X-Forwarded-For': '192.0.2.66, 203.0.113.9, 10.0.0.1' };
      expect((await fetch(`${base}/a`, { headers })).status).to.equal(404);
      expect((await process.stop()).code).to.equal(0);
      const warned = eventsOf(process, 'plain-http-exposed').map(({ host }) => host);
      const clients = eventsOf(process, 'request').map((line) => line.client);
      expect([warned, clients]).to.deep.equal([warnings, [client]]);
    });

  it('DOCS=off removes the pages, CORS_ORIGINS allows browsers to call, and /version shows the versions', async () => {
    const Origin = 'https://tools.example';
    const service = await serving({ DOCS: 'off', CORS_ORIGINS: `http://localhost:8080, ${Origin}` });
    for (const path of ['/', '/docs', '/docs/page.js'])
      expect((await fetch(service.base + path)).status).to.equal(404);
    const own = await fetch(service.base + openapiPath, { headers: { Origin } });
    expect([own.status, own.headers.get('access-control-allow-origin')]).to.deep.equal([200, Origin]);
    const { headers } = await fetch(`${service.ops}/`, { headers: { Origin } });
    expect(headers.get('access-control-allow-origin')).to.equal(null);
    expect(headers.get('content-security-policy')).to.match(/^default-src 'none'; (?!.*unsafe)/);
    const { name, version } = JSON.parse(await read('package.json'));
    const shown = await (await fetch(`${service.ops}/version`)).json();
    const node = process.version;
    expect(shown).to.include({ name, version, node, migration: migrationNames.at(-1) });
    expect((await command(['--version'], {})).output).to.include(version);
  });

  it('RATE_LIMIT is off by default, and FAILED_KEY_LIMIT is generous', async () => {
    async function statuses(service: Listening, key: string) {
      const calls = Array.from({ length: 20 }, () => call(data.one(service, { key })));
      const answers = Map.groupBy(await Promise.all(calls), ({ status }) => status);
      return Object.fromEntries(Array.from(answers, ([status, { length }]) => [status, length]));
    }
    const usual = await serving({ FAILED_KEY_LIMIT: '' });
    expect(await statuses(usual, data.key)).to.deep.equal({ 200: 20 });
    expect(await statuses(usual, 'cm_nothing')).to.deep.equal({ 401: 20 });
    const limited = await serving({ RATE_LIMIT: '7/1m', FAILED_KEY_LIMIT: '3/1m' });
    expect(await statuses(limited, data.key)).to.deep.equal({ 200: 7, 429: 13 });
    expect(await statuses(limited, 'cm_nothing')).to.deep.equal({ 401: 3, 429: 17 });
  });
});
