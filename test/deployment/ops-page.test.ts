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
      expect(await (await fetch(`${service.ops}/`)).text()).to.include('unknown-key'),
    );
    browser = await openBrowser();
  });
  afterEach(async () => {
    await watched?.close();
    watched = undefined;
  });

  const open = async (options?: BrowserContextOptions) => {
    watched = await WatchedPage.open(browser, service.ops, '/', options);
    return watched;
  };
  const text = (page: Page, name: string) => page.locator(`[data-text="${name}"]`).first().innerText();
  const path = (page: Page) => page.locator('[data-line="requests"]').getAttribute('d');
  /** Resolves when it shows such a text. */
  const shows = (page: Page, name: string, what: RegExp) =>
    page.locator(`[data-text="${name}"]`, { hasText: what }).first().waitFor();

  it('its figures move while there is a load; no error, no violation of the policy, nothing from elsewhere', async () => {
    const { page, complaints } = await open();
    await shows(page, 'requests', /[1-9]/);
    const [first, at] = [await path(page), await text(page, 'at')];
    expect((await call(data.one(service, { campaign: 404_404 }))).status).to.equal(404);
    const row = page.locator('[data-rows="refusals"] tr', { hasText: 'campaign-not-found' });
    await row.waitFor();
    expect(await row.innerText()).to.match(/^campaign-not-found\s+404\s+1\s+\d\d:\d\d:\d\d UTC$/);
    expect(await path(page)).not.to.equal(first);
    expect(await text(page, 'at')).not.to.equal(at);
    expect(await page.title()).to.equal('Ready · Campaign Mirror');
    expect(complaints).to.deep.equal([]);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`axe-core finds nothing serious in it, ${colorScheme}`, async () => {
      const coloured = await open({ colorScheme });
      const { page, complaints } = coloured;
      expect(await coloured.barriers()).to.deep.equal([]);
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(background).to.equal(colorScheme === 'dark' ? 'rgb(20, 23, 26)' : 'rgb(255, 255, 255)');
      expect(complaints).to.deep.equal([]);
    });
  }

  it('fits a screen of 360 pixels', async () => {
    const narrow = await open({ viewport: { width: 360, height: 740 } });
    expect(await narrow.overflow()).to.be.at.most(0);
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

  it('without JavaScript it has the same, as of when it was asked for', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    expect(await text(page, 'state')).to.equal('Ready');
    expect(await path(page)).to.match(/^M/);
    expect(await page.locator('[data-rows="refusals"]').innerText()).to.include('unknown-key');
  });

  it('nobody who looks: it does not ask; looked at again, it does at once', async () => {
    const { page } = await open();
    await page.waitForResponse('**/state.json');
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

  it('says so when it is not answered any more', async () => {
    const { page } = await open();
    const at = await text(page, 'at');
    await service.process.stop('SIGKILL');
    await shows(page, 'state', /^No answer since/);
    expect(await page.title()).to.equal('No answer · Campaign Mirror');
    expect(at).to.match(/^\d\d:\d\d:\d\d UTC$/);
  });
});
