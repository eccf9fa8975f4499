import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser, WatchedPage } from '../support/documents/watched-page.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

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

  const open = async (options?: BrowserContextOptions) => {
    watched = await WatchedPage.open(browser, service.ops, '/', options);
    await shows(watched.page, 'state', /^Ready$/);
    return watched;
  };
  /** Resolves when it shows such a text. */
  const shows = (page: Page, name: string, what: RegExp) =>
    page.locator(`:is([data-text="${name}"], [data-series="${name}"])`, { hasText: what }).waitFor();
  const textOf = (page: Page, what: string) => page.locator(what).innerText();

  it('its figures move while there is a load, and the pointer shows those of another moment', async () => {
    const { page } = await open();
    await shows(page, 'requests', /[1-9]/);
    const at = await textOf(page, '[data-text="at"]');
    const before = await page.locator('canvas').first().screenshot();
    expect((await call(data.one(service, { campaign: 404_404 }))).status).to.equal(404);
    const row = page.locator('[data-rows="refusals"] tr', { hasText: 'campaign-not-found' });
    expect(await row.innerText()).to.match(/^campaign-not-found\s+404\s+1\s+\d\d:\d\d:\d\d$/);
    expect(await page.locator('canvas').first().screenshot()).not.to.deep.equal(before);
    expect(await textOf(page, '[data-text="at"]'))
      .to.match(/^\d\d:\d\d:\d\d UTC$/)
      .and.not.to.equal(at);
    expect(await textOf(page, '[data-rows="figures"]'))
      .to.match(/requests in flight\s+\d+ of 512\s/)
      .and.match(/runs since\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC\s/)
      .and.match(/memory\s+\d+ MiB$/);
    expect(await textOf(page, '[data-rows="checks"]')).to.match(/database\s+passes/);
    expect(await page.title()).to.equal('Ready · Campaign Mirror');

    await page.locator('.u-over').first().hover();
    await shows(page, 'when', /^at \d\d:\d\d:\d\d UTC$/);
    // The first moment has no rates.
    await shows(page, 'requests', /^–$/);
    await page.mouse.move(0, 0);
    await shows(page, 'requests', /\d/);
  });

  it('axe-core finds nothing serious in it, light and dark; and it fits a screen of 360 pixels', async () => {
    const { page } = await open({ viewport: { width: 360, height: 740 } });
    await shows(page, 'requests', /[1-9]/);
    expect(await page.locator('canvas').count()).to.equal(4);
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
    const { page } = await open();
    const hostile = '<img src=x onerror=complain("run")>';
    await page.route('**/below/**', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/below', '');
      const response = await route.fetch({ url: `${service.ops}${path}` });
      if (path !== '/state.json') return route.fulfill({ response });
      const state = await response.json();
      const refusals = [{ because: hostile, status: 403, times: 1, last: state.at }];
      const json = { ...state, readiness: { [hostile]: false }, refusals, times: [], series: {} };
      return route.fulfill({ response, json });
    });
    await page.goto(`${service.ops}/below/`);
    await shows(page, 'state', /^Not ready: <img/);
    expect(await textOf(page, '[data-rows="refusals"]')).to.include(hostile);
    expect(await textOf(page, 'tr.bad')).to.match(/fails$/);
  });

  it('nobody who looks: it does not ask; looked at again, it does at once', async () => {
    const { page } = await open();
    let asked = 0;
    page.on('request', () => {
      asked += 1;
    });
    // The clock of the page is ours from here on.
    await page.clock.install();
    const turn = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await turn(true);
    await page.clock.runFor(60_000);
    expect(asked).to.equal(0);
    const answered = page.waitForResponse('**/state.json');
    await turn(false);
    await answered;
    expect(asked).to.equal(1);
  });

  it('says so when it is not answered any more, and recovers', async () => {
    const { page } = await open();
    await page.locator('html.good').waitFor();
    service.process.child.kill('SIGSTOP');
    await shows(page, 'state', /^No answer since \d\d:\d\d:\d\d UTC$/);
    await page.locator('html.bad').waitFor();
    service.process.child.kill('SIGCONT');
    await shows(page, 'state', /^Ready$/);
    await page.locator('html.good').waitFor();
  });
});
