import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { eventsOf, type Listening, listeningService } from '../support/process/service-process.ts';
import { scrape } from '../support/prometheus/metrics.ts';

interface State {
  readonly times: readonly number[];
  readonly series: { readonly requests: readonly (number | null)[] };
}

const requests = 'campaign_mirror_http_requests_total';
const durations = 'campaign_mirror_http_request_duration_seconds_count';
const refusals = 'campaign_mirror_http_refusals_total';
const files = ['', '/demonstration.json', '/page.js', '/errors.js', '/swagger-ui.js', '/swagger-ui.css'];

describe('`/` and the page at /docs, in a process', () => {
  const data = serviceDataOf('test');
  const momentsOf = async (service: Listening, count: number) =>
    eventually(`${count} moments of the page for operators`, async () => {
      const state = (await (await fetch(`${service.ops}/state.json`)).json()) as State;
      expect(state.times).to.have.length(count);
      return state;
    });
  const get = (url: string, method = 'GET') => fetch(url, { method, redirect: 'manual' });

  it('`/` leads to /docs; neither they nor the files of the page are counted, and each is logged', async () => {
    const service = await listeningService(data.settings());
    await momentsOf(service, 1);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await get(`${service.base}/`, method);
      expect([status, headers.get('location')]).to.deep.equal([302, '/docs']);
    }
    for (const file of files) expect((await get(`${service.base}/docs${file}`)).status, file).to.equal(200);
    expect((await get(`${service.base}/docs`, 'POST')).status).to.equal(405);
    expect((await call(data.one(service))).status).to.equal(200);
    // Only those methods have a route.
    expect((await get(`${service.base}/`, 'POST')).status).to.equal(404);

    const told = await scrape(service);
    for (const metric of [requests, durations]) {
      expect(told.by(metric, 'status', { listener: 'callers' }), metric).to.deep.equal({ 200: 1, 404: 1 });
      expect(told.value(metric, { listener: 'callers', route: '/docs' })).to.equal(undefined);
    }
    expect(told.by(refusals, 'because')).to.deep.equal({ 'route-not-found': 1 });
    const { times, series } = await momentsOf(service, 2);
    const [first = 0, second = 0] = times;
    expect(Number(series.requests[1]) * (second - first)).to.be.closeTo(2, 0.2);
    const logged = eventsOf(service.process, 'request').map(({ route }) => route);
    expect(logged).to.include.members(['/', ...files.map((file) => `/docs${file}`)]);
  });

  it('DOCS=off: `/` is a path that is not there, and is counted as one', async () => {
    const service = await listeningService(data.settings({ DOCS: 'off' }));
    const answer = await get(`${service.base}/`);
    expect([answer.status, await answer.text()]).to.deep.equal([
      ...[404, '{"message":"The route / could not be found."}'],
    ]);
    const told = await scrape(service);
    expect(told.by(requests, 'status', { listener: 'callers', route: 'other' })).to.deep.equal({ 404: 1 });
  });
});
