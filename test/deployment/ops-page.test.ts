import { expect } from 'chai';
import type { Browser, BrowserContextOptions } from 'playwright-core';
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
    await shows(
      '#process',
      /^Version \S+( \(commit \S+\))?, started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\. As of /,
    );
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

  it('behind a prefix, and whatever it is told, which is text, and fits a screen of 360 pixels', async () => {
    const page = await open({ viewport: { width: 360, height: 740 } });
    const hostile = '<img src=x onerror=complain("run")>';
    const long = 'token-bound-to-a-key'.repeat(4);
    const version = '1.0.0+20261129.0123456789abcdef0123456789abcdef01234567';
    let count = 0;
    await page.route('**/below/**', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/below', '');
      const response = await route.fetch({ url: `${service.ops}${path}` });
      if (path === '/readyz') return route.fulfill({ response, json: { checks: { [hostile]: false } } });
      if (path !== '/metrics') return route.fulfill({ response });
      const refusals = [hostile.replaceAll('"', "'"), long].map(
        (because) =>
          `campaign_mirror_http_refusals_total{because="${because}",status="403"} ${++count * 123_456_789}\n`,
      );
      const metrics = (await response.text())
        .replace(/(?<=_build_info\{version=").*?(?=")/, version)
        .replace(/(?<=_(?:limit|in_flight|waiting) ).*/g, '9007199254740991');
      return route.fulfill({ response, body: `${refusals.join('')}${metrics}` });
    });
    await page.goto(`${service.ops}/below/`);
    await shows('#state.bad', /^Not ready: <img/);
    await shows('#refusals', /<img src=x onerror=complain/);
    await shows('#refusals', /token-bound-to-a-key/);
    await shows('#process', /^Version 1\.0\.0\+20261129/);
    expect(await watched.overflow()).to.be.at.most(0);
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
