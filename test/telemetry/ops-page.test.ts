import { expect } from 'chai';
import { serverAddress } from '../support/database/database-server.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';

interface State {
  readonly at: number;
  readonly readiness: Record<string, boolean>;
  readonly version: Record<string, string>;
  readonly times: number[];
  readonly series: Record<string, (number | null)[]>;
  readonly figures: Record<string, number>;
  readonly refusals: { because: string; status: number; times: number; last: number }[];
}

describe('contract: life — the page for operators', () => {
  const data = serviceDataOf('test', { campaigns: 2 });

  const serving = (more = {}) => listeningService({ ...data.settings(), ...more });
  const set = ({ base }: Listening, more: Partial<Parameters<typeof call>[0]> = {}) =>
    call(data.one({ base }, { address: `https://${marked}.example/`, ...more }));
  const state = async ({ ops }: Listening) => (await (await fetch(`${ops}/state.json`)).json()) as State;
  const shows = (service: Listening, what: string, assert: (shown: State) => void) =>
    eventually(what, async () => {
      const shown = await state(service);
      assert(shown);
      return shown;
    });

  it('shows what was answered and what was refused, and why; no key, no address, no campaign', async () => {
    const [, foreign = 0] = data.campaigns;
    await data.database.admin.query('update campaign_mirror.campaigns set owner_id = 99 where id = $1', [
      foreign,
    ]);
    const service = await serving();
    await shows(service, 'a first moment', ({ times }) => expect(times).to.have.length(1));
    for (let times = 0; times < 3; times++) await set(service, { campaign: foreign, requestId: marked });
    await set(service, { key: unknownKey });
    expect((await set(service)).status).to.equal(200);
    await fetch(`${service.base}/${marked}`);
    const shown = await shows(service, 'three refusals', ({ refusals }) =>
      expect(refusals).to.have.length(3),
    );
    expect(shown.refusals.map(({ because, status, times }) => [because, status, times])).to.have.deep.members(
      [
        ['not-the-owner', 403, 3],
        ['unknown-key', 401, 1],
        ['route-not-found', 404, 1],
      ],
    );
    const { times, series, figures, refusals } = shown;
    const latest = (name: string) => Number(series[name]?.at(-1));
    expect(series.requests?.[0], 'nothing to compare with').to.equal(null);
    const seconds = Number(times[1]) - Number(times[0]);
    expect(latest('requests')).to.be.closeTo(6 / seconds, 0.05);
    expect(latest('clientErrors')).to.be.closeTo(5 / seconds, 0.05);
    expect(latest('serverErrors')).to.equal(0);
    expect(latest('percentile99')).to.be.at.least(latest('median')).and.above(0);
    expect(refusals.every(({ last }) => last === times[1])).to.equal(true);
    expect(figures).to.include({ inFlight: 0, inFlightLimit: 512, overloads: 0 });
    expect(figures.poolLimit).to.be.above(0);
    expect(figures.busy).to.be.within(0, 1);
    expect(figures.memory).to.be.above(10_000_000);
    expect(shown.at - Number(figures.startedAt)).to.be.within(0, 60);
    expect(shown.version).to.include({ node: process.version });
    const everything = JSON.stringify(shown);
    for (const secret of [data.key, data.key.slice(0, 10), unknownKey, marked, 'example', '127.0.0.1'])
      expect(everything).not.to.include(secret);
  });

  it('is files of its own, which let nothing in from elsewhere and need no path before them', async () => {
    const service = await serving();
    const answer = await fetch(`${service.ops}/`);
    const policy = String(answer.headers.get('content-security-policy'));
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).to.include("frame-ancestors 'none'").and.not.to.include('unsafe');
    const page = await answer.text();
    expect(page).not.to.match(/https?:|<style| style=| on[a-z]+=|<script>/);
    expect(page).to.include('<noscript>');
    const linked = [...page.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, path = '']) => path);
    const files = [...new Set(linked.filter((path) => !path.startsWith('data:')))];
    expect(files).to.deep.equal([
      ...['uplot.css', 'page.css', 'uplot.js', 'page.js'],
      ...['readyz', 'metrics', 'livez', 'version'],
    ]);
    const types = { html: 'text/html', css: 'text/css', js: 'text/javascript', json: 'application/json' };
    for (const path of ['', 'state.json', ...files]) {
      const { status, headers } = await fetch(`${service.ops}/${path}`);
      expect([status, headers.get('cache-control')], path).to.deep.equal([200, 'no-store']);
      const type = Object.entries(types).find(([suffix]) => (path || '.html').endsWith(`.${suffix}`))?.[1];
      if (type) expect(headers.get('content-type')).to.equal(`${type}; charset=utf-8`);
    }
    expect((await fetch(`${service.ops}/`, { method: 'POST' })).status).to.equal(405);
  });

  it('says that the database is away, or says nothing, in time; and that it is back', async () => {
    const proxy = await tcpProxy(serverAddress());
    const url = new URL(data.database.url('service'));
    url.host = `127.0.0.1:${proxy.port}`;
    const service = await serving({ DATABASE_URL: url.href });
    const database = (passes: boolean) =>
      shows(service, `database: ${passes}`, ({ readiness }) => expect(readiness.database).to.equal(passes));
    await database(true);
    proxy.freeze();
    await database(false);
    proxy.thaw();
    await database(true);
    await proxy.close();
  });
});
