import { Agent } from 'node:http';
import { openapiPath } from '@campaign-mirror/adapters-http/service';
import { migrationNames } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { answered, command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import {
  eventsOf,
  type Listening,
  listeningService,
  sharingServices,
  startService,
} from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

describe('what is set of a process holds', () => {
  const data = serviceDataOf('test');
  const serving = (more: Record<string, string>) => listeningService(data.settings(more));

  for (const [TRUSTED_PROXIES, warnings, client] of [
    ['', ['0.0.0.0'], '127.0.0.1'],
    ['127.0.0.1, 10.0.0.0/8', [], '203.0.113.9'],
  ] as const)
    it(`HOST=0.0.0.0 TRUSTED_PROXIES=${TRUSTED_PROXIES}: warned of once if at all, believed if named`, async () => {
      const { process, base } = await serving({ HOST: '0.0.0.0', TRUSTED_PROXIES });
      const headers = { 'X-Forwarded-For': '192.0.2.66, 203.0.113.9, 10.0.0.1' };
      expect((await fetch(`${base}/a`, { headers })).status).to.equal(404);
      expect((await process.stop()).code).to.equal(0);
      const warned = eventsOf(process, 'plain-http-exposed').map(({ host }) => host);
      const clients = eventsOf(process, 'request').map((line) => line.client);
      expect([warned, clients]).to.deep.equal([warnings, [client]]);
    });

  it('DOCS and CORS_ORIGINS: no page, and browsers of these origins may call, but not as operators; /version says what runs', async () => {
    const Origin = 'https://tools.example';
    const service = await serving({ DOCS: 'off', CORS_ORIGINS: `http://localhost:8080, ${Origin}` });
    for (const path of ['/docs', '/docs/', '/docs/page.js', '/docs/swagger-ui.js']) {
      const answer = await fetch(service.base + path);
      const text = `{"message":"The route ${path} could not be found."}`;
      expect([answer.status, await answer.text()]).to.deep.equal([404, text]);
    }
    expect((await fetch(service.base + openapiPath)).status).to.equal(200);
    const { msg } = await service.process.event('listening');
    expect(msg).to.equal(`listening on ${service.base}; the page for operators: ${service.ops}/`);
    const path = `/public/v1/mirror/campaign/${data.campaigns[0]}/mirror`;
    const { status, headers } = await fetch(service.base + path, {
      method: 'POST',
      headers: { Origin, Authorization: `Bearer ${data.key}`, 'Content-Type': 'application/json' },
      body: '{"mirror_endpoint":"https://second.example/"}',
    });
    expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([200, Origin]);
    const { headers: ofOperators } = await fetch(`${service.ops}/livez`, { headers: { Origin } });
    expect(ofOperators.get('access-control-allow-origin')).to.equal(null);
    expect(ofOperators.get('x-content-type-options')).to.equal('nosniff');
    const { name, version } = JSON.parse(await read('package.json'));
    const running = { name, version, node: process.version, migration: migrationNames.at(-1) };
    const { commit, ...told } = JSON.parse(await (await fetch(`${service.ops}/version`)).text());
    expect(told).to.deep.equal(running);
    const starting = await service.process.event('starting');
    expect(starting).to.include({ version, ...(commit && { commit }) });
    const written = /^version (.*) is starting$/.exec(`${starting.msg}`)?.[1];
    expect(await command(['--version'], {})).to.deep.equal(answered(`${written}\n`));
    expect(eventsOf(service.process, 'plain-http-exposed'), 'on localhost').to.deep.equal([]);
  });

  it('RATE_LIMIT and FAILED_KEY_LIMIT: none for keys by default, a generous one for wrong keys', async () => {
    async function statuses(service: Listening, key: string) {
      const calls = Array.from({ length: 20 }, () => call(data.one(service, { key })));
      const found: Record<string, number> = {};
      for (const { status } of await Promise.all(calls))
        found[String(status)] = (found[String(status)] ?? 0) + 1;
      return found;
    }
    const usual = await serving({ FAILED_KEY_LIMIT: '' });
    expect(await statuses(usual, data.key)).to.deep.equal({ 200: 20 });
    expect(await statuses(usual, 'cm_nothing')).to.deep.equal({ 401: 20 });
    const limited = await serving({ RATE_LIMIT: '7/1m', FAILED_KEY_LIMIT: '3/1m' });
    expect(await statuses(limited, data.key)).to.deep.equal({ 200: 7, 429: 13 });
    expect(await statuses(limited, 'cm_nothing')).to.deep.equal({ 401: 3, 429: 17 });
    await limited.process.stop();
    const because = eventsOf(limited.process, 'request-limited').map((line) => line.because);
    expect(because.toSorted()).to.deep.equal([...Array(17).fill('failed-keys'), ...Array(13).fill('rate')]);
  });

  it('MIRROR_HOST_DENYLIST: the service and each command that has it refuse the same hosts; without it they take them', async () => {
    const on = commandsOn(data.database);
    const [id] = data.campaigns;
    const evil = 'https://Evil.example./';
    await on.run(`mirror set ${id} ${evil} --as-operator`);
    const [, { move }] = await on.objects(
      'mirror move --from-host evil.example --to-host third.example --yes',
    );
    const change = (await on.objects(`mirror history ${id}`)).at(-1)?.id;
    const bare = (await on.object('campaign create --owner 1')).id;
    const denying = { MIRROR_HOST_DENYLIST: 'evil.example, *.B\u00fccher.example' };
    const file = `id,owner_id,target_url\n${id},1,${evil}\n`;
    for (const line of [
      `mirror create ${bare} --target-url ${evil}`,
      `mirror set ${id} ${evil} --as-operator`,
      `mirror set ${id} https://a.b\u00fccher.example/ --as-operator`,
      'mirror set --file - --yes',
      `mirror restore ${id} --to ${change} --yes`,
      'mirror move --from-host third.example --to-host evil.example --yes',
      `mirror move --undo ${move} --yes`,
      'key issue --owner 1 --name denied --hosts good.example,*.B\u00fccher.example',
      'import -',
    ]) {
      const { code, output, errors } = await command(line.split(' '), { ...on.settings, ...denying }, file);
      expect(code, line).to.equal(1);
      expect(output + errors, line).to.match(/host denylist contains/);
    }
    const answer = async (settings: Record<string, string>, address: string) =>
      (await call(data.one(await serving(settings), { address }))).status;
    expect(await answer(denying, evil)).to.equal(422);
    expect(await answer({}, evil)).to.equal(200);
    expect((await on.run(`mirror create ${bare} --target-url ${evil}`)).code).to.equal(0);
  });

  it('REUSE_PORT: processes share it, and when one ends the others go on; one without it does not join', async () => {
    const { base, services } = await sharingServices(data.settings());
    const [one, other] = services as [Listening, Listening];
    const answered = async (service: Listening) =>
      /^campaign_mirror_http_requests_total\{listener="callers".*status="200"/m.test(
        await (await fetch(`${service.ops}/metrics`)).text(),
      );
    // Each call has a connection of its own; each process gets about half of them.
    const agent = new Agent({ keepAlive: false });
    for (let calls = 1; !((await answered(one)) && (await answered(other))); calls++) {
      expect((await call(data.one(one), agent)).status).to.equal(200);
      expect(calls).to.be.below(100);
    }
    expect(await one.process.stop()).to.include({ code: 0 });
    for (let number = 0; number < 10; number++)
      expect((await call(data.one(other), agent)).status).to.equal(200);
    const PORT = new URL(base).port;
    const refused = startService(data.settings({ PORT }));
    expect((await refused.ended).code).to.equal(1);
    expect(refused.errors).to.include(`PORT ${PORT} on 127.0.0.1 is in use`);
  });
});
