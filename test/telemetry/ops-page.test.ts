import { expect } from 'chai';
import { serverAddress } from '../support/database/database-server.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningFleet } from '../support/process/primary-process.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { marked, unknownKey } from '../support/secrets.ts';

interface Shown {
  readonly good: boolean;
  readonly texts: Record<string, string>;
  readonly lines: Record<string, string>;
  readonly rows: Record<string, { cells: string[]; bad?: boolean }[]>;
}

describe('contract: life — the page for operators', () => {
  const data = serviceDataOf('test', { campaigns: 2 });

  const serving = (more = {}) => listeningService({ ...data.settings(), ...more });
  const set = ({ base }: Listening, more: Partial<Parameters<typeof call>[0]> = {}) =>
    call(data.one({ base }, { address: `https://${marked}.example/`, ...more }));
  const state = async ({ ops }: Listening) => (await (await fetch(`${ops}/state.json`)).json()) as Shown;
  const shows = (service: Listening, what: string, assert: (shown: Shown) => void) =>
    eventually(what, async () => {
      const shown = await state(service);
      assert(shown);
      return shown;
    });
  const html = async ({ ops }: Listening) => (await fetch(`${ops}/`)).text();
  const cells = (rows: Shown['rows'][string] = []) => rows.map((row) => row.cells);

  it('shows what was refused, and why; no key, no address, no campaign', async () => {
    const [, foreign = 0] = data.campaigns;
    await data.database.admin.query('update campaign_mirror.campaigns set owner_id = 99 where id = $1', [
      foreign,
    ]);
    const service = await serving();
    await shows(service, 'a first figure', ({ texts }) => expect(texts).to.have.property('requests-top'));
    for (let times = 0; times < 3; times++) await set(service, { campaign: foreign, requestId: marked });
    await set(service, { key: unknownKey });
    await set(service);
    await fetch(`${service.base}/${marked}`);
    const shown = await shows(service, 'three refusals', ({ rows }) =>
      expect(rows.refusals).to.have.length(3),
    );
    expect(
      cells(shown.rows.refusals).map(([because, status, times]) => [because, status, times]),
    ).to.have.deep.members([
      ['not-the-owner', '403', '3'],
      ['unknown-key', '401', '1'],
      ['route-not-found', '404', '1'],
    ]);
    expect(shown.good).to.equal(true);
    expect(Number(shown.texts.requests)).to.be.above(0);
    expect(Number(shown.texts['client-errors'])).to.be.above(0);
    expect(shown.texts['server-errors']).to.equal('0');
    expect(Number(shown.texts['percentile-99'])).to.be.at.least(Number(shown.texts.median));
    expect(shown.lines.requests).to.match(/^M[\d.]+ [\d.]+/);
    const everything = JSON.stringify(shown) + (await html(service));
    for (const secret of [data.key, data.key.slice(0, 10), unknownKey, marked, 'example', '127.0.0.1'])
      expect(everything).not.to.include(secret);
  });

  it('says the same without a script, and lets nothing in from elsewhere', async () => {
    const service = await serving();
    const answer = await fetch(`${service.ops}/`);
    const policy = String(answer.headers.get('content-security-policy'));
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).to.include("frame-ancestors 'none'").and.not.to.include('unsafe');
    const page = await answer.text();
    expect(page).to.include('<strong data-text="state">Ready</strong>');
    expect(page).to.include('<th scope="row">database</th><td>passes</td>');
    expect(page).not.to.match(/https?:|<style| style=| on[a-z]+=|<script(?! type="module" src="page.js"><)/);
    for (const [path = '', type] of [
      ['/page.js', 'text/javascript; charset=utf-8'],
      ['/page.css', 'text/css; charset=utf-8'],
      ['/state.json', 'application/json; charset=utf-8'],
    ]) {
      const { status, headers } = await fetch(`${service.ops}${path}`);
      expect([status, headers.get('content-type'), headers.get('cache-control')]).to.deep.equal([
        200,
        type,
        'no-store',
      ]);
    }
    const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path);
    expect(links).to.deep.equal(['metrics', 'livez', 'readyz', 'version']);
    for (const path of links) expect((await fetch(`${service.ops}/${path}`)).status).to.equal(200);
    expect((await fetch(`${service.ops}/`, { method: 'POST' })).status).to.equal(405);
  });

  it('says that the database is away, or says nothing, in time; and that it is back', async () => {
    const proxy = await tcpProxy(serverAddress());
    const url = new URL(data.database.url('service'));
    url.host = `127.0.0.1:${proxy.port}`;
    const service = await serving({ DATABASE_URL: url.href, READINESS_TIMEOUT: '60s' });
    expect((await state(service)).texts.state).to.equal('Ready');
    proxy.freeze();
    const shown = await shows(service, 'that it is not ready', ({ good }) => expect(good).to.equal(false));
    expect(shown.texts.title).to.equal('Not ready: database · Campaign Mirror');
    expect(shown.rows.checks).to.deep.include({ cells: ['database', 'fails'], bad: true });
    expect(await html(service)).to.include('<html lang="en" class="bad">');
    proxy.thaw();
    await shows(service, 'that it is ready', ({ good }) => expect(good).to.equal(true));
    await proxy.close();
  });

  it('METRICS=off: it has the state, and says that nothing is counted', async () => {
    const service = await serving({ METRICS: 'off' });
    const page = await html(service);
    expect(page).to.include('>Ready<').and.to.include('METRICS=off');
    expect(page).not.to.match(/<svg|href="metrics"/);
    expect((await state(service)).lines).to.deep.equal({});
  });

  it('with workers: how many there are, and the sums of all', async () => {
    const service = await listeningFleet(data.settings());
    await shows(service, 'a scale', ({ texts }) =>
      expect(Number(texts['requests-top'] ?? 0)).to.be.at.least(1),
    );
    const calls = Array.from({ length: 20 }, (_, number) =>
      set(service, { campaign: data.campaigns[number % 2] ?? 0 }),
    );
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).to.equal(true);
    const shown = await shows(service, 'requests', ({ texts }) =>
      expect(Number(texts.requests)).to.be.above(0),
    );
    expect(cells(shown.rows.figures)).to.deep.include(['workers ready', '2 of 2']);
    expect(cells(shown.rows.figures)).to.deep.include(['workers silent', '0']);
    // A worker tells what it carries now and then.
    await shows(service, 'that all are answered', ({ rows }) =>
      expect(cells(rows.figures)).to.deep.include(['requests in flight', '0 of 1,024']),
    );
  });
});
