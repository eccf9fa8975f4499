import { expect } from 'chai';
import { serverAddress } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { RawConnection } from '../support/http/connection.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { metrics } from '../support/prometheus/all-metrics.ts';
import { type Exposition, scrape, undocumented } from '../support/prometheus/metrics.ts';
import { marked, unknownKey } from '../support/secrets.ts';

const route = '/public/v1/mirror/campaign/{campaign}/mirror';
const requests = 'campaign_mirror_http_requests_total';
const lock = 'select from campaign_mirror.mirrors where campaign_id = $1 for update';

describe('contract: answers — metrics of a process', () => {
  const data = serviceDataOf('test', { campaigns: 4 });

  const serving = (more = {}) => listeningService({ ...data.settings(), ...more });
  const set = ({ base }: Listening, more: Partial<Parameters<typeof call>[0]> = {}) =>
    call(data.one({ base }, { address: `https://${marked}.example/`, ...more }));
  async function raw({ base }: Listening, request: string) {
    const connection = await RawConnection.open(Number(new URL(base).port));
    await connection.send(request);
    await connection.response();
    await connection.closed();
  }

  it('counts each request by route, method, status and reason, as its callers do', async () => {
    const [, transferred, defaulted, without] = data.campaigns;
    const change = (text: string, id = 0) => data.database.admin.query(text, [id]);
    await change('update campaign_mirror.campaigns set owner_id = 99 where id = $1', transferred);
    await change('update campaign_mirror.campaigns set is_default = true where id = $1', defaulted);
    await change('delete from campaign_mirror.mirrors where campaign_id = $1', without);
    const service = await serving({ MIRROR_HOST_DENYLIST: 'denied.example' });
    const asked = [
      ...Array.from({ length: 7 }, () => set(service)),
      ...[transferred, transferred, defaulted, without, 1e9].map((campaign = 0) =>
        set(service, { campaign }),
      ),
      ...[unknownKey, unknownKey, 'cm_malformed'].map((key) => set(service, { key })),
      ...['', 'no address', 'https://denied.example/', `https://a.example/${'a'.repeat(2048)}`].map(
        (address) => set(service, { address }),
      ),
    ];
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    await fetch(`${service.base}${route.replace('{campaign}', '1')}`);
    for (const path of ['/a', '/b', `/${marked}`]) await fetch(`${service.base}${path}`);
    await raw(service, 'PROPFIND / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await raw(service, 'NONSENSE\r\n\r\n');

    const told = await scrape(service);
    const own = Object.fromEntries(
      [200, 401, 403, 404, 422].map((status) => [status, times(statuses, status)]),
    );
    expect(told.by(requests, 'status', { route, method: 'POST' })).to.deep.equal(own);
    expect(told.by(requests, 'method', { route })).to.deep.equal({ POST: asked.length, GET: 1 });
    expect(told.by(requests, 'method', { route: 'other' })).to.deep.equal({ GET: 3, other: 2 });
    expect(
      told.value('campaign_mirror_http_request_duration_seconds_count', { listener: 'callers' }),
    ).to.equal(told.value(requests, { listener: 'callers' }));
    expect(told.by('campaign_mirror_http_refusals_total', 'because')).to.deep.equal({
      'not-the-owner': 2,
      'default-campaign': 1,
      'mirror-not-created': 1,
      'campaign-not-found': 1,
      'unknown-key': 2,
      'invalid-key': 1,
      required: 1,
      'not-a-url': 1,
      'denied-host': 1,
      'too-long': 1,
      'method-not-supported': 1,
      'route-not-found': 4,
      'bad-request': 1,
    });
    expect(told.by(requests, 'route', { listener: 'operators' })).to.deep.equal({});
    expect((await scrape(service)).by(requests, 'route', { listener: 'operators' })).to.deep.equal({
      '/metrics': 1,
    });
  });

  it('is what docs/reference/metrics.md says, holds no secret and no address, and no caller makes it grow', async () => {
    const service = await serving();
    await set(service);
    await set(service, { key: unknownKey });
    await fetch(`${service.base}/nowhere`);
    const before = await scrape(service);
    expect(undocumented(before)).to.deep.equal([]);
    const absent = Object.keys(metrics).filter((name) => !before.types.has(name));
    expect(absent).to.have.members([
      'campaign_mirror_issuer_key_fetches_total',
      'campaign_mirror_issuer_keys_age_seconds',
    ]);

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
    for (const secret of [
      data.key,
      data.key.slice(0, 10),
      unknownKey,
      marked,
      String(password),
      host,
      '127.0.0.1',
    ]) {
      expect(after.text).not.to.include(secret);
    }
  });

  it('HEAD has the headers only', async () => {
    const service = await serving();
    const head = await fetch(`${service.ops}/metrics`, { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
    expect(Number(head.headers.get('content-length'))).to.be.above(1_000);
    expect(head.headers.get('cache-control')).to.equal('no-store');
  });

  it('tells what is under way, what waits for the pool, and each one that overload refused', async () => {
    const service = await serving({ MAX_IN_FLIGHT: '2', POOL_SIZE: '1' });
    const holder = await rival(data.database);
    await holder.run(lock, data.campaigns[0]);
    const carried = set(service);
    await untilWaiting(data.database, carried);
    const behind = set(service, { campaign: data.campaigns[1] ?? 0 });
    let told = await eventually('one that waits for the pool', async () => {
      const seen = await scrape(service);
      expect(seen.value('campaign_mirror_pool_waiting')).to.equal(1);
      return seen;
    });
    expect(told.value('campaign_mirror_http_requests_in_flight')).to.equal(2);
    expect(told.value('campaign_mirror_http_requests_in_flight_limit')).to.equal(2);
    expect(told.by('campaign_mirror_pool_connections', 'state')).to.deep.equal({ 'in-use': 1 });
    expect(told.value('campaign_mirror_pool_connections_limit')).to.equal(1);
    for (const { status } of await Promise.all(Array.from({ length: 20 }, () => set(service))))
      expect(status).to.equal(503);
    told = await scrape(service);
    expect(told.by('campaign_mirror_overload_refusals_total', 'what')).to.deep.equal({ requests: 20 });
    expect(told.value(requests, { status: '503' })).to.equal(20);
    await holder.rollback();
    expect([(await carried).status, (await behind).status]).to.deep.equal([200, 200]);
    told = await scrape(service);
    expect(told.value('campaign_mirror_http_requests_in_flight')).to.equal(0);
    expect(told.by('campaign_mirror_pool_connections', 'state')).to.deep.equal({ idle: 1 });
    expect(told.by('campaign_mirror_statement_duration_seconds_count', 'statement')).to.deep.equal({
      'look-up-one': 1,
      'set-mirror': 2,
      'set-held-mirror-chains': 1,
    });
  });

  it('answers while the database is away, or says nothing, and says so', async () => {
    const proxy = await tcpProxy(serverAddress());
    const url = new URL(data.database.url('service'));
    url.host = `127.0.0.1:${proxy.port}`;
    const service = await serving({ DATABASE_URL: url.href });
    const state = async () => {
      const told = await scrape(service);
      const check = (name: string) => told.value('campaign_mirror_ready_check', { check: name });
      return [told.value('campaign_mirror_ready'), check('database'), check('writable')];
    };
    expect(await state()).to.deep.equal([1, 1, 1]);
    proxy.freeze();
    await eventually('not ready', async () => expect(await state()).to.deep.equal([0, 0, undefined]));
    await proxy.refuse();
    await eventually('a database that is away', async () => expect((await state())[1]).to.equal(0));
    expect((await set(service)).status).to.equal(503);
    const told = await scrape(service);
    expect(told.by('campaign_mirror_statement_failures_total', 'statement')).to.deep.equal({
      'look-up-one': 1,
    });
    expect(told.by('campaign_mirror_http_refusals_total', 'because')).to.deep.equal({ unavailable: 1 });
    proxy.thaw();
    await proxy.accept();
    await eventually('ready again', async () => expect((await state())[0]).to.equal(1));
    await proxy.close();
  });

  it("tells PostgreSQL's estimate of the history's rows, once there is one", async () => {
    const service = await serving();
    for (let number = 0; number < 3; number++) await set(service);
    expect((await scrape(service)).value('campaign_mirror_history_rows')).to.equal(undefined);
    await data.database.admin.query('analyze campaign_mirror.mirror_history');
    await eventually('the estimate', async () =>
      expect((await scrape(service)).value('campaign_mirror_history_rows')).to.equal(3),
    );
  });

  it('tells how the process is, and what it is', async () => {
    const service = await serving();
    await set(service);
    const told = await scrape(service);
    expect(told.value('process_resident_memory_bytes'))
      .to.be.above(2 ** 25)
      .and.below(2 ** 31);
    expect(told.value('process_cpu_seconds_total')).to.be.above(0.1);
    const began = (told.value('process_start_time_seconds') ?? 0) * 1_000;
    expect(began)
      .to.be.above(Date.parse(String(service.process.log[0]?.time)) - 60_000)
      .and.below(Date.now());
    for (const name of ['campaign_mirror_event_loop_delay_seconds_count', 'nodejs_heap_size_used_bytes'])
      expect(told.value(name)).to.be.above(0);
    expect(told.value('campaign_mirror_event_loop_active_seconds_total')).to.be.above(0);
    expect(told.value('campaign_mirror_build_info', { node: process.version })).to.equal(1);
    expect(told.value('campaign_mirror_key_uses_noted_total')).to.equal(1);
  });
});

function times(statuses: readonly unknown[], one: unknown): number {
  return statuses.filter((status) => status === one).length;
}
