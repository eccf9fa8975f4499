import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { openBrowser, type WatchedPage, watchedPage } from '../support/documents/watched-page.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

describe('operators see the state of the service on its page, in Chromium', () => {
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
  beforeEach(async () => {
    const viewport = { width: 360, height: 740 };
    watched = await watchedPage(browser, `${service.ops}/`, { viewport });
  });
  afterEach(() => watched.close());

  /** Resolves when an element shows a text. */
  const shows = (what: string, hasText: RegExp) => watched.page.locator(what, { hasText }).first().waitFor();
  const isReady = () => shows('#state:not(.bad)', /^Ready$/);

  it('it shows figures under load and counts refusals; it is accessible, and fits a screen of 360 pixels', async () => {
    await isReady();
    await shows(
      '#process',
      /^Version \S+( \(commit \S+\))?, started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\. As of /,
    );
    for (const figure of [/^200: \d*[1-9]/, /^half took at most: \d*[1-9]/, /^limit: 512$/, /^in use: \d+$/])
      await shows('li', figure);
    for (let times = 0; times < 2; times++)
      expect((await call(data.one(service, { campaign: 404_404 }))).status).to.equal(404);
    await shows('#refusals tr', /^campaign-not-found\s*404\s*2$/);
    for (const colorScheme of ['dark', 'light'] as const) {
      await watched.page.emulateMedia({ colorScheme });
      expect(await watched.barriers()).to.deep.equal([]);
      expect(await watched.overflow()).to.be.at.most(0);
    }
  });

  it('it shows hostile names as text, also behind a prefix', async () => {
    const { page } = watched;
    const hostile = '<img src=x onerror=complain("run")>';
    await page.route('**/below/**', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/below', '');
      const response = await route.fetch({ url: `${service.ops}${path}` });
      if (path === '/readyz') return route.fulfill({ response, json: { checks: { [hostile]: false } } });
      if (path !== '/metrics') return route.fulfill({ response });
      const because = hostile.replaceAll('"', "'");
      const refusals = `campaign_mirror_http_refusals_total{because="${because}",status="403"} `;
      return route.fulfill({ response, body: `${refusals}${Date.now()}\n${await response.text()}` });
    });
    await page.goto(`${service.ops}/below/`);
    await shows('#state.bad', /^Not ready: <img/);
    await shows('#refusals', /<img src=x onerror=complain/);
  });

  it('it says when the service does not answer, and recovers', async () => {
    await isReady();
    service.process.child.kill('SIGSTOP');
    await shows('#state.bad', /^No answer$/);
    service.process.child.kill('SIGCONT');
    await isReady();
  });
});
