import { expect } from 'chai';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { eventsOf, type Listening, listeningService } from '../support/process/service-process.ts';
import { type Exposition, metrics, scrape } from '../support/prometheus/metrics.ts';
import { eventually } from '../support/promises.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { read } from '../support/workspace.ts';
import { send } from './hostile-requests.ts';

const route = '/public/v1/mirror/campaign/{campaign}/mirror';
const requests = 'campaign_mirror_http_requests_total';

describe('contract: answers — metrics of a process', () => {
  const data = serviceDataOf('test', { campaigns: 4 });

  const serving = (more = {}) => listeningService(data.settings(more));
  const set = (service: Listening, more: Partial<Parameters<typeof call>[0]> = {}) =>
    call(data.one(service, { address: `https://${marked}.example/`, ...more }));

  it('counts each request by route, method, status and reason, as its callers do', async () => {
    const [, transferred, defaulted, without] = data.campaigns;
    await data.database.admin.query(`
      update campaign_mirror.campaigns set owner_id = 99 where id = ${transferred};
      update campaign_mirror.campaigns set is_default = true where id = ${defaulted};
      delete from campaign_mirror.mirrors where campaign_id = ${without}`);
    const service = await serving({ MIRROR_HOST_DENYLIST: 'denied.example' });
    const calls: Parameters<typeof set>[1][] = [
      ...Array(7).fill({}),
      ...[transferred, transferred, defaulted, without, 1e9].map((campaign = 0) => ({ campaign })),
      ...[unknownKey, unknownKey, 'cm_malformed'].map((key) => ({ key })),
      ...['', 'no address', 'https://denied.example/', `https://a.example/${'a'.repeat(2048)}`].map(
        (address) => ({ address }),
      ),
    ];
    const heard: Record<string, number> = {};
    for (const { status } of await Promise.all(calls.map((one) => set(service, one))))
      heard[String(status)] = (heard[String(status)] ?? 0) + 1;
    await fetch(`${service.base}${route.replace('{campaign}', '1')}`);
    for (const path of ['/b', '/a', `/${marked}`]) await fetch(`${service.base}${path}`);
    const port = Number(new URL(service.base).port);
    await send(port, 'PROPFIND / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await send(port, 'NONSENSE\r\n\r\n');
    // Neither a page nor its files are the interface: they are not counted.
    for (const path of ['/', '/docs/page.js']) await fetch(`${service.base}${path}`);

    const told = await scrape(service);
    expect(heard).to.have.keys('200', '401', '403', '404', '422');
    expect(told.by(requests, 'status', { route, method: 'POST' })).to.deep.equal(heard);
    expect(told.by(requests, 'method', { route })).to.deep.equal({ POST: calls.length, GET: 1 });
    expect(told.by(requests, 'method', { route: 'other' })).to.deep.equal({ GET: 3, other: 2 });
    const listener = 'callers';
    expect(told.by(requests, 'route', { listener })).to.deep.equal({ [route]: calls.length + 1, other: 5 });
    expect(told.value('campaign_mirror_http_request_duration_seconds_count', { listener })).to.equal(
      told.value(requests, { listener }),
    );
    expect(told.by('campaign_mirror_http_refusals_total', 'because')).to.deep.equal({
      ...{ 'not-the-owner': 2, 'default-campaign': 1, 'mirror-not-created': 1, 'campaign-not-found': 1 },
      ...{ 'unknown-key': 2, 'invalid-key': 1 },
      ...{ required: 1, 'forbidden-character': 1, 'denied-host': 1, 'too-long': 1 },
      ...{ 'method-not-supported': 1, 'route-not-found': 4, 'bad-request': 1 },
    });
    const ofOperators = async () => (await scrape(service)).by(requests, 'route', { listener: 'operators' });
    expect(await ofOperators()).to.deep.equal({ '/metrics': 1 });
  });

  it('is what docs/reference/metrics.md says, without secret or address, and no caller makes it grow', async () => {
    const service = await serving();
    await set(service);
    await set(service, { key: unknownKey });
    await fetch(`${service.base}/nowhere`);
    const before = await scrape(service);
    const told = [...before.text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    const documented = Object.values(metrics).map(({ name, type }) => [name, type]);
    const files = ['grafana-dashboard.json', 'prometheus/alert-rules.yml', 'prometheus/recording-rules.yml'];
    const shown = (await Promise.all(files.map((file) => read(`ops/${file}`)))).join();
    const ours = Object.keys(metrics).filter((name) => name.startsWith('campaign_mirror_'));
    expect(
      ours.filter((name) => !new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(shown)),
    ).to.deep.equal([]);
    const ofTokens = /^campaign_mirror_issuer_/;
    expect(told).to.have.deep.members(documented.filter(([name = '']) => !ofTokens.test(name)));

    for (let number = 0; number < 20; number++) {
      await fetch(`${service.base}/${marked}/${number}?${marked}`, { headers: { 'X-Request-Id': marked } });
      await set(service, { campaign: data.campaigns[number % 4] ?? 0, requestId: `${marked}-${number}` });
    }
    const after = await scrape(service);
    const series = ({ lines }: Exposition) =>
      lines
        .filter(({ name, labels }) => !name.startsWith('nodejs_') && labels.listener !== 'operators')
        .map(({ name, labels }) => JSON.stringify([name, labels]));
    expect(series(after)).to.deep.equal(series(before));
    const { host, password } = data.database.address('service');
    const secrets = [data.key.slice(0, 10), unknownKey, marked, String(password), host, '127.0.0.1'];
    for (const secret of secrets) expect(after.text).not.to.include(secret);

    expect(after.value('campaign_mirror_history_rows')).to.equal(undefined);
    await data.database.admin.query('analyze campaign_mirror.mirror_history');
    await eventually("PostgreSQL's estimate", async () =>
      expect((await scrape(service)).value('campaign_mirror_history_rows')).to.equal(21),
    );
  });

  it('tells what is under way, what waits for the pool, and each one that overload refused', async () => {
    const service = await serving({ MAX_IN_FLIGHT: '2', POOL_SIZE: '1' });
    const { slow, holder } = await data.slow(service);
    const behind = set(service, { campaign: data.campaigns[1] ?? 0 });
    const busy = await eventually('one that waits for the pool', async () => {
      const seen = await scrape(service);
      expect(seen.value('campaign_mirror_pool_waiting')).to.equal(1);
      return seen;
    });
    expect(busy.value('campaign_mirror_http_requests_in_flight')).to.equal(2);
    expect(busy.value('campaign_mirror_http_requests_in_flight_limit')).to.equal(2);
    expect(busy.by('campaign_mirror_pool_connections', 'state')).to.deep.equal({ 'in-use': 1 });
    expect(busy.value('campaign_mirror_pool_connections_limit')).to.equal(1);
    for (const { status } of await Promise.all(Array.from({ length: 20 }, () => set(service))))
      expect(status).to.equal(503);
    // Neither is a reason to be not ready.
    expect(await (await fetch(`${service.ops}/livez`)).json()).to.include({ status: 'alive' });
    expect(await (await fetch(`${service.ops}/readyz`)).json()).to.include({ status: 'ready' });
    await holder.rollback();
    expect([(await slow).status, (await behind).status]).to.deep.equal([200, 200]);
    const idle = await eventually('a pool without work', async () => {
      const seen = await scrape(service);
      expect(seen.by('campaign_mirror_pool_connections', 'state')).to.deep.equal({ idle: 1 });
      return seen;
    });
    expect(idle.by('campaign_mirror_overload_refusals_total', 'what')).to.deep.equal({ requests: 20 });
    expect(idle.value(requests, { status: '503' })).to.equal(20);
    expect(idle.value('campaign_mirror_http_requests_in_flight')).to.equal(0);
    expect(idle.by('campaign_mirror_statement_duration_seconds_count', 'statement')).to.deep.equal({
      ...{ 'find-keys': 1, 'set-mirrors': 2, 'set-locked-mirror': 1 },
    });
    await service.process.stop();
    const told = eventsOf(service.process, 'overload').map(({ listener, what }) => [listener, what]);
    expect(told).to.deep.equal([['callers', 'requests']]);
    expect(eventsOf(service.process, 'request').map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('answers while the database is away, or says nothing, and says so', async () => {
    const proxy = await tcpProxy(data.database.address('service'));
    const service = await serving({ DATABASE_URL: data.database.url('service', proxy) });
    const state = async () => {
      const told = await scrape(service);
      const check = (name: string) => told.value('campaign_mirror_ready_check', { check: name });
      return [told.value('campaign_mirror_ready'), check('database'), check('writable')];
    };
    expect(await state()).to.deep.equal([1, 1, 1]);
    proxy.freeze();
    await eventually('not ready', async () => expect(await state()).to.deep.equal([0, 0, undefined]));
    await proxy.refuse();
    expect((await set(service)).status).to.equal(503);
    const told = await scrape(service);
    expect(told.by('campaign_mirror_statement_failures_total', 'statement')).to.deep.equal({
      'find-keys': 1,
    });
    expect(told.by('campaign_mirror_http_refusals_total', 'because')).to.deep.equal({ unavailable: 1 });
    proxy.thaw();
    await proxy.accept();
    await eventually('ready again', async () => expect(await state()).to.deep.equal([1, 1, 1]));
    await proxy.close();
  });
});
