import { expect } from 'chai';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { openBrowser, WatchedPage } from '../support/documents/watched-page.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

class OpsPage extends WatchedPage {
  /** Of `/readyz`. */
  protected override readonly expected =
    /^Failed to load resource: the server responded with a status of 503/;
}

describe('the page for operators, in Chromium', () => {
  after(async () => {
    await browser?.close();
    await callers?.stop();
  });
  const data = serviceDataOf('suite', { campaigns: 4 });
  let service: Listening;
  let browser: Browser;
  let callers: ReturnType<typeof load>;
  let watched: WatchedPage;

  before(async () => {
    service = await listeningService(data.settings());
    callers = load(data.updates(service.base), 2);
    browser = await openBrowser();
  });
  afterEach(() => watched.close());

  const open = async (options?: BrowserContextOptions, { ops } = service) => {
    watched = await OpsPage.open(browser, ops, '/', options);
    return watched.page;
  };
  /** Resolves when an element shows such a text. */
  const shows = (what: string, hasText: RegExp) => watched.page.locator(what, { hasText }).first().waitFor();
  const isReady = () => shows('#state:not(.bad)', /^Ready$/);

  it('its figures move while there is a load, and it counts refusals since it was opened', async () => {
    const page = await open();
    await isReady();
    expect(await page.title()).to.equal('Ready · Campaign Mirror');
    await shows('#process', /^Version \S+, started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\. As of /);
    await shows('li', /^200: \d*[1-9]/);
    await shows('li', /^half took at most: \d*[1-9]/);
    await shows('li', /^limit: 512$/);
    await shows('li', /^in use: \d+$/);
    const chart = page.locator('figure', { hasText: 'Answers a second' }).locator('svg');
    const before = await chart.screenshot();
    for (let times = 0; times < 2; times++)
      expect((await call(data.one(service, { campaign: 404_404 }))).status).to.equal(404);
    await shows('#refusals tr', /^campaign-not-found\s*404\s*2$/);
    expect(await chart.screenshot()).not.to.deep.equal(before);
    await page.reload();
    await shows('li', /^200: \d*[1-9]/);
    expect(await page.locator('#refusals tr').count()).to.equal(0);
  });

  it('axe-core finds nothing serious in it, light and dark; and it fits a screen of 360 pixels', async () => {
    const page = await open({ viewport: { width: 360, height: 740 } });
    await shows('li', /^200: \d*[1-9]/);
    for (const [colorScheme, paper] of [
      ['dark', 'rgb(20, 23, 26)'],
      ['light', 'rgb(255, 255, 255)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(paper);
      expect(await watched.barriers()).to.deep.equal([]);
      expect(await watched.overflow()).to.be.at.most(0);
    }
  });

  it('behind a prefix, and whatever it is told, which is text', async () => {
    const page = await open();
    const hostile = '<img src=x onerror=complain("run")>';
    let count = 0;
    await page.route('**/below/**', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/below', '');
      const response = await route.fetch({ url: `${service.ops}${path}` });
      if (path === '/readyz') return route.fulfill({ response, json: { checks: { [hostile]: false } } });
      if (path !== '/metrics') return route.fulfill({ response });
      const refusals = `campaign_mirror_http_refusals_total{because="${hostile.replaceAll('"', "'")}",status="403"}`;
      return route.fulfill({ response, body: `${refusals} ${++count}\n${await response.text()}` });
    });
    await page.goto(`${service.ops}/below/`);
    await shows('#state.bad', /^Not ready: <img/);
    await shows('#refusals', /<img src=x onerror=complain/);
  });

  it('latency is that of the calls between two looks, and nothing is kept from before a restart', async () => {
    const page = await open();
    let looks = 0;
    await page.route('**/metrics', async (route) => {
      const counts =
        [
          [0, 0, 1_000],
          [50, 100, 1_100],
          [50, 199, 1_200],
          [1, 2, 3],
        ][Math.min(looks++, 3)] ?? [];
      const labels = 'listener="callers",route="/public/v1/mirror/campaign/{campaign}/mirror",status="200"';
      const buckets = ['0.001', '0.002', '+Inf'].map(
        (le, at) =>
          `campaign_mirror_http_request_duration_seconds_bucket{le="${le}",${labels}} ${counts[at]}`,
      );
      const version = 'campaign_mirror_build_info{version="1"} 1';
      const started = `process_start_time_seconds ${looks < 4 ? 1 : 2}`;
      await route.fulfill({ body: [...buckets, version, started, ''].join('\n') });
    });
    await page.reload();
    const shown = async (half: string, most: string) => {
      await shows('li', new RegExp(`^half took at most: ${half}$`));
      await shows('li', new RegExp(`^99 % took at most: ${most}$`));
    };
    await shown('1', '2');
    await shown('2', '2');
    await shown('–', '–');
    await shows('li', /^5xx: –$/);
  });

  it('a database that is away: it says so, and the rest of the page works', async () => {
    const proxy = await tcpProxy(data.database.address('service'));
    const DATABASE_URL = data.database.url('service', proxy);
    const other = await listeningService(data.settings({ DATABASE_URL }));
    proxy.freeze();
    await open({}, other);
    await shows('#state.bad', /^Not ready: .*database/);
    await shows('li', /^in use: \d+$/);
    // The page goes on asking the service, which ends after it.
    await proxy.close();
  });

  it('says so when it is not answered any more, and recovers', async () => {
    await open();
    await isReady();
    service.process.child.kill('SIGSTOP');
    await shows('#state.bad', /^No answer$/);
    service.process.child.kill('SIGCONT');
    await isReady();
  });
});
