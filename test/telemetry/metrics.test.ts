import { expect } from 'chai';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { metrics, scrape } from '../support/prometheus/metrics.ts';
import { eventually } from '../support/promises.ts';
import { marked, unknownKey } from '../support/secrets.ts';
import { send } from './hostile-requests.ts';

const route = '/public/v1/mirror/campaign/{campaign}/mirror';
const requests = 'campaign_mirror_http_requests_total';
const refusals = 'campaign_mirror_http_refusals_total';

describe('docs: metrics: a process counts what its callers see', () => {
  const data = serviceDataOf('test', { campaigns: 4 });

  const serving = (more = {}) => listeningService(data.settings(more));
  const set = (service: Listening, more: Partial<Parameters<typeof call>[0]> = {}) =>
    call(data.one(service, { address: `https://${marked}.example/`, ...more }));

  it('requests are counted by route, method, status and reason', async () => {
    const [, transferred, defaulted, without] = data.campaigns;
    await data.database.admin.query(`
      update campaign_mirror.campaigns set owner_id = 99 where id = ${transferred};
      update campaign_mirror.campaigns set is_default = true where id = ${defaulted};
      delete from campaign_mirror.mirrors where campaign_id = ${without}`);
    const service = await serving({ MIRROR_HOST_DENYLIST: 'denied.example' });
    const calls: Parameters<typeof set>[1][] = [
      ...[{}, {}, {}, { key: unknownKey }, { key: 'cm_malformed' }],
      ...[transferred, transferred, defaulted, without, 1e9].map((campaign = 0) => ({ campaign })),
      ...['', 'no address', 'https://denied.example/'].map((address) => ({ address })),
    ];
    await Promise.all(calls.map((one) => set(service, one)));
    for (const path of [route.replace('{campaign}', '1'), '/b', '/a', `/${marked}`])
      await fetch(service.base + path);
    await send(service.base, 'PROPFIND / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await send(service.base, 'NONSENSE\r\n\r\n');
    // Pages are not counted.
    for (const path of ['/', '/docs/page.js']) await fetch(service.base + path);

    const shown = await scrape(service);
    const byStatus = { 200: 3, 401: 2, 403: 4, 404: 1, 422: 3 };
    expect(shown.by(requests, 'status', { route, method: 'POST' })).to.deep.equal(byStatus);
    expect(shown.by(requests, 'method', { route })).to.deep.equal({ POST: calls.length, GET: 1 });
    expect(shown.by(requests, 'method', { route: 'other' })).to.deep.equal({ GET: 3, other: 2 });
    const listener = 'callers';
    expect(shown.by(requests, 'route', { listener })).to.deep.equal({ [route]: calls.length + 1, other: 5 });
    expect(shown.value('campaign_mirror_http_request_duration_seconds_count', { listener })).to.equal(
      shown.value(requests, { listener }),
    );
    expect(shown.by(refusals, 'because')).to.deep.equal({
      ...{ 'not-the-owner': 2, 'default-campaign': 1, 'mirror-not-created': 1, 'campaign-not-found': 1 },
      ...{ 'unknown-key': 1, 'invalid-key': 1, required: 1, 'forbidden-character': 1, 'denied-host': 1 },
      ...{ 'method-not-supported': 1, 'route-not-found': 4, 'bad-request': 1 },
    });
  });

  it('the metrics are those of the documents; callers add no series and no secret', async () => {
    const service = await serving();
    await set(service);
    await set(service, { key: unknownKey });
    await fetch(`${service.base}/nowhere`);
    const before = await scrape(service);
    const shown = [...before.text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    const documented = Object.values(metrics).filter(
      ({ name }) => !name.startsWith('campaign_mirror_issuer_'),
    );
    expect(shown).to.have.deep.members(documented.map(({ name, type }) => [name, type]));
    for (let number = 0; number < 20; number++) {
      await fetch(`${service.base}/${marked}/${number}?${marked}`, { headers: { 'X-Request-Id': marked } });
      await set(service, { campaign: data.campaigns[number % 4] ?? 0, requestId: `${marked}-${number}` });
    }
    const after = await scrape(service);
    const series = ({ lines }: Awaited<ReturnType<typeof scrape>>) =>
      lines
        .filter(({ name, labels }) => !name.startsWith('nodejs_') && labels.listener !== 'operators')
        .map(({ name, labels }) => JSON.stringify([name, labels]));
    expect(series(after)).to.deep.equal(series(before));
    const { host, password } = data.database.address('service');
    for (const secret of [data.key.slice(0, 10), unknownKey, marked, String(password), host])
      expect(after.text).not.to.include(secret);
  });

  it('requests in progress, the pool and refusals by overload are shown', async () => {
    const service = await serving({ MAX_IN_FLIGHT: '2', POOL_SIZE: '1' });
    const { slow, holder } = await data.slow(service);
    const waiting = set(service, { campaign: data.campaigns[1] ?? 0 });
    const busy = await eventually('a request that waits for the pool', async () => {
      const shown = await scrape(service);
      expect(shown.value('campaign_mirror_pool_waiting')).to.equal(1);
      return shown;
    });
    expect(busy.value('campaign_mirror_http_requests_in_flight')).to.equal(2);
    expect(busy.value('campaign_mirror_http_requests_in_flight_limit')).to.equal(2);
    expect(busy.by('campaign_mirror_pool_connections', 'state')).to.deep.equal({ 'in-use': 1 });
    expect(busy.value('campaign_mirror_pool_connections_limit')).to.equal(1);
    for (const { status } of await Promise.all(Array.from({ length: 20 }, () => set(service))))
      expect(status).to.equal(503);
    expect((await fetch(`${service.ops}/readyz`)).status, 'a busy service is ready').to.equal(200);
    await holder.rollback();
    expect([(await slow).status, (await waiting).status]).to.deep.equal([200, 200]);
    const idle = await eventually('an idle pool', async () => {
      const shown = await scrape(service);
      expect(shown.by('campaign_mirror_pool_connections', 'state')).to.deep.equal({ idle: 1 });
      return shown;
    });
    expect(idle.by('campaign_mirror_overload_refusals_total', 'what')).to.deep.equal({ requests: 20 });
    expect(idle.value(requests, { status: '503' })).to.equal(20);
    expect(idle.value('campaign_mirror_http_requests_in_flight')).to.equal(0);
    expect(idle.by('campaign_mirror_statement_duration_seconds_count', 'statement')).to.deep.equal({
      ...{ 'find-keys': 1, 'set-mirrors': 2, 'set-locked-mirror': 1 },
    });
  });

  it('the metrics are shown while the database hangs', async () => {
    const proxy = await tcpProxy(data.database.address('service'));
    const service = await serving({ DATABASE_URL: data.database.url('service', proxy) });
    const isReady = async () => (await scrape(service)).by('campaign_mirror_ready_check', 'check');
    expect(await isReady()).to.include({ database: 1, writable: 1 });
    proxy.freeze();
    await eventually('not ready', async () => expect(await isReady()).to.deep.equal({ accepting: 1 }));
    expect((await scrape(service)).value('campaign_mirror_ready')).to.equal(0);
    await proxy.close();
  });
});
