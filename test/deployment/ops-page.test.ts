import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser, WatchedPage } from '../support/documents/watched-page.ts';
import { eventually } from '../support/eventually.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { unknownKey } from '../support/secrets.ts';

describe('the page for operators, in Chromium', () => {
  after(async () => {
    await browser?.close();
    await callers?.stop();
  });
  const data = serviceDataOf('suite', { campaigns: 4 });
  let service: Listening;
  let browser: Browser;
  let callers: ReturnType<typeof load>;
  let watched: WatchedPage | undefined;

  before(async () => {
    service = await listeningService(data.settings());
    callers = load(data.updates(service.base), 2);
    expect((await call(data.one(service, { key: unknownKey }))).status).to.equal(401);
    await eventually('the refusal on the page', async () =>
      expect(await (await fetch(`${service.ops}/state.json`)).text()).to.include('unknown-key'),
    );
    browser = await openBrowser();
  });
  afterEach(async () => {
    await watched?.close();
    watched = undefined;
  });

  const open = async (options?: BrowserContextOptions) => {
    watched = await WatchedPage.open(browser, service.ops, '/', options);
    if (options?.javaScriptEnabled !== false) await shows(watched.page, 'state', /^Ready$/);
    return watched;
  };
  /** Resolves when it shows such a text. */
  const shows = (page: Page, name: string, what: RegExp) =>
    page.locator(`:is([data-text="${name}"], [data-series="${name}"])`, { hasText: what }).waitFor();
  /** The colours that are drawn in each plot, as hexadecimal numbers. */
  const colours = (page: Page) =>
    page.evaluate<string[][]>(`[...document.querySelectorAll('canvas')].map((canvas) => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      const found = new Set();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] === 255) found.add([...data.slice(at, at + 3)].map((part) => part.toString(16)).join());
      }
      return [...found];
    })`);
  const lines = { light: ['b,57,b0', 'b3,47,0'], dark: ['8a,b8,ff', 'ff,b2,7a'] };

  it('its figures move while there is a load; no error, no violation of the policy, nothing from elsewhere', async () => {
    const { page, complaints } = await open();
    await shows(page, 'requests', /[1-9]/);
    const at = await page.locator('[data-text="at"]').innerText();
    const before = await page.locator('canvas').first().screenshot();
    expect((await call(data.one(service, { campaign: 404_404 }))).status).to.equal(404);
    const row = page.locator('[data-rows="refusals"] tr', { hasText: 'campaign-not-found' });
    await row.waitFor();
    expect(await row.innerText()).to.match(/^campaign-not-found\s+404\s+1\s+\d\d:\d\d:\d\d$/);
    expect(await page.locator('canvas').first().screenshot()).not.to.deep.equal(before);
    expect(await page.locator('[data-text="at"]').innerText())
      .to.match(/^\d\d:\d\d:\d\d UTC$/)
      .and.not.to.equal(at);
    const figures = await page.locator('[data-rows="figures"]').innerText();
    expect(figures)
      .to.match(/requests in flight\s+\d+ of 512\s/)
      .and.to.match(/memory\s+\d+ MiB$/);
    expect(figures).to.match(/runs since\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC\s/);
    expect(await page.locator('[data-rows="checks"]').innerText()).to.match(/database\s+passes/);
    expect(await page.title()).to.equal('Ready · Campaign Mirror');
    expect(complaints).to.deep.equal([]);
  });

  it('the pointer shows the values of another moment in all plots, until the service has none', async () => {
    const { page } = await open();
    await shows(page, 'requests', /[1-9]/);
    await page.locator('.u-over').first().hover();
    await shows(page, 'when', /^at \d\d:\d\d:\d\d UTC$/);
    // The first moment has no rates.
    await shows(page, 'requests', /^–$/);
    await shows(page, 'median', /^–$/);
    await page.mouse.move(0, 0);
    await shows(page, 'median', /\d/);
    await page.locator('.u-over').first().hover();
    await shows(page, 'median', /^–$/);
    await page.route('**/state.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), times: [], series: {} } });
    });
    await shows(page, 'poolInUse', /^–$/);
    expect(await page.locator('[data-text="when"]').textContent()).to.equal('');
    await shows(page, 'state', /^Ready$/);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`draws four plots that axe-core finds nothing serious in, ${colorScheme}; and follows the system`, async () => {
      const coloured = await open({ colorScheme });
      const { page, complaints } = coloured;
      await shows(page, 'requests', /[1-9]/);
      expect(await coloured.barriers()).to.deep.equal([]);
      const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      const paper = { light: 'rgb(255, 255, 255)', dark: 'rgb(20, 23, 26)' };
      expect(await background()).to.equal(paper[colorScheme]);
      const plots = await colours(page);
      expect(plots).to.have.length(4);
      for (const drawn of plots) expect(drawn).to.include(lines[colorScheme][0]);
      for (const drawn of plots.slice(2)) expect(drawn).to.include(lines[colorScheme][1]);
      const other = colorScheme === 'light' ? 'dark' : 'light';
      await page.emulateMedia({ colorScheme: other });
      await eventually('the other colours', async () => {
        for (const drawn of await colours(page)) {
          expect(drawn).to.include(lines[other][0]).and.not.to.include(lines[colorScheme][0]);
        }
      });
      expect(await background()).to.equal(paper[other]);
      expect(complaints).to.deep.equal([]);
    });
  }

  it('fits a screen of 360 pixels, and one that is turned', async () => {
    const narrow = await open({ viewport: { width: 740, height: 360 } });
    for (const width of [360, 740, 360]) {
      await narrow.page.setViewportSize({ width, height: 1_100 - width });
      await eventually('plots as wide as their boxes', async () => {
        const gaps = await narrow.page.evaluate<number[]>(
          `[...document.querySelectorAll('figure')].map((figure) =>
            figure.clientWidth - figure.querySelector('canvas').clientWidth)`,
        );
        expect(gaps).to.deep.equal([24, 24, 24, 24]);
      });
      expect(await narrow.overflow()).to.be.at.most(0);
    }
  });

  it('the keyboard reaches each link, and one sees where it is', async () => {
    const { page } = await open();
    const reached: unknown[] = [];
    for (let pressed = 0; pressed < 4; pressed++) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate(
          '[document.activeElement.textContent, getComputedStyle(document.activeElement).outlineStyle]',
        ),
      );
    }
    expect(reached).to.deep.equal(['metrics', 'livez', 'readyz', 'version'].map((name) => [name, 'solid']));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/version');
  });

  it('without JavaScript it says where to look instead', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    const instead = await page.locator('noscript').innerText();
    expect(instead).to.include('needs JavaScript').and.to.include('readyz').and.to.include('metrics');
  });

  it('behind a prefix, and whatever it is told, which is text', async () => {
    const { page, complaints } = await open();
    const hostile = '<img src=x onerror=complain("run")>';
    await page.route('**/below/**', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/below', '');
      const response = await route.fetch({ url: `${service.ops}${path}` });
      if (path !== '/state.json') return route.fulfill({ response });
      const state = await response.json();
      state.readiness = { [hostile]: false };
      state.refusals = [{ because: hostile, status: 403, times: 1, last: state.at }];
      return route.fulfill({ response, json: state });
    });
    await page.goto(`${service.ops}/below/`);
    await shows(page, 'state', /^Not ready: <img/);
    expect(await page.locator('[data-rows="refusals"]').innerText()).to.include(hostile);
    expect(await page.locator('tr.bad').innerText()).to.match(/fails$/);
    expect(await page.locator('canvas').count()).to.equal(4);
    expect(complaints).to.deep.equal([]);
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
    const good = page.locator('html.good');
    await good.waitFor();
    service.process.child.kill('SIGSTOP');
    await shows(page, 'state', /^No answer since \d\d:\d\d:\d\d UTC$/);
    expect(await page.title()).to.equal('No answer · Campaign Mirror');
    await page.locator('html.bad').waitFor();
    service.process.child.kill('SIGCONT');
    await shows(page, 'state', /^Ready$/);
    await good.waitFor();
    await service.process.stop('SIGKILL');
    await shows(page, 'state', /^No answer since/);
  });
});
