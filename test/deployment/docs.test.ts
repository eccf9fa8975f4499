import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openDatabase, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import type { OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { DocsPage } from '../support/documents/docs-browser.ts';
import { openBrowser } from '../support/documents/watched-page.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { tester } from '../support/store/operator.ts';

const run = promisify(execFile);
const address = 'https://second.example/?click={click_id}';
const message = (text: string) => JSON.stringify({ message: text });

describe('the page at /docs, in Chromium', () => {
  after(() => browser?.close());
  const data = serviceDataOf('suite');
  let service: Listening;
  let browser: Browser;
  let docs: DocsPage;
  let foreign: number;

  before(async () => {
    const { orm, close } = await openDatabase(data.database.address('operator'));
    const other = { owner: 2 as OwnerId, isDefault: false };
    foreign = (await new PostgresSettings(orm, tester).createCampaign(other)).id;
    await close();
    service = await listeningService({ ...data.settings(), CORS_ORIGINS: 'https://tools.example' });
    browser = await openBrowser();
  });
  afterEach(async () => {
    const { complaints } = docs;
    await docs.close();
    expect(complaints, 'errors, violations of the policy, requests to elsewhere').to.deep.equal([]);
  });
  const own = () => data.campaigns[0] as number;

  it('shows 401 without a key and with a wrong one; with a key 200, 403, 404 and 422', async () => {
    docs = await DocsPage.openDocs(browser, service.base);
    await docs.opened();
    const unauthenticated = { status: '401', body: message('Unauthenticated.') };
    expect(await docs.call(own(), address)).to.deep.equal(unauthenticated);
    await docs.authorize('cm_nothing');
    expect(await docs.call(own(), address)).to.deep.equal(unauthenticated);

    await docs.authorize(data.key);
    const { status, body } = await docs.call(own(), address);
    expect([status, JSON.parse(body).mirror.target_url]).to.deep.equal(['200', address]);
    const forbidden = { status: '403', body: message('This action is unauthorized.') };
    expect(await docs.call(foreign, address)).to.deep.equal(forbidden);
    const missing = { status: '404', body: message('No query results for model [Campaign] 424242') };
    expect(await docs.call(424242, address)).to.deep.equal(missing);
    const text = 'The mirror endpoint field must be a valid URL.';
    expect(await docs.call(own(), 'somewhere')).to.deep.equal({
      status: '422',
      body: JSON.stringify({ message: text, errors: { mirror_endpoint: [text] } }),
    });
    expect(await data.recorded()).to.have.length(1);
  });

  it('the call is copied as curl, JavaScript and Python; that in JavaScript runs', async () => {
    docs = await DocsPage.openDocs(browser, service.base, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = docs;
    await docs.authorize(data.key);
    await docs.opened();
    await docs.call(own(), address);
    const copied: Record<string, string> = {};
    for (const name of ['curl', 'JavaScript', 'Python']) {
      await page.locator('.request-snippets').getByText(name, { exact: true }).click();
      await page.locator('.request-snippets .copy-to-clipboard button').click();
      copied[name] = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied[name], name).to.include(`/campaign/${own()}/mirror`);
      expect(copied[name], name).to.include(`Bearer ${data.key}`);
    }
    expect(copied.curl).to.match(/^curl -X 'POST'/);
    expect(copied.Python).to.include('urlopen');
    const script = ['--input-type=module', '-e', copied.JavaScript ?? ''];
    const { stdout } = await run(process.execPath, script);
    expect(stdout).to.match(/^200 /);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`axe-core finds nothing serious in it, ${colorScheme}`, async () => {
      docs = await DocsPage.openDocs(browser, service.base, { colorScheme });
      const { page } = docs;
      await page.getByRole('button', { name: 'Authorize' }).click();
      expect(await docs.barriers(), 'the dialog').to.deep.equal([]);
      await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).click();
      await docs.opened();
      await docs.call(own(), address);
      expect(await docs.barriers(), 'the call').to.deep.equal([]);
      const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(background === 'rgb(28, 32, 34)', String(background)).to.equal(colorScheme === 'dark');
    });
  }

  it('the keyboard is enough', async () => {
    docs = await DocsPage.openDocs(browser, service.base);
    const { page } = docs;
    await tabTo(page, 'Authorize');
    await page.keyboard.press('Enter');
    await page.locator('.modal-ux input').waitFor();
    await tabTo(page, 'auth-bearer-value');
    await page.keyboard.type(data.key);
    await tabTo(page, 'Authorize');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Close');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Set the mirror of a campaign');
    await tabTo(page, 'campaign');
    await page.keyboard.type(String(own()));
    await tabTo(page, 'Execute');
    await page.keyboard.press('Enter');
    expect((await docs.shown('200')).status).to.equal('200');
  });

  it('fits a screen of 360 pixels', async () => {
    docs = await DocsPage.openDocs(browser, service.base, { viewport: { width: 360, height: 740 } });
    expect(await docs.overflow(), 'before a call').to.be.at.most(0);
    await docs.authorize(data.key);
    await docs.opened();
    expect((await docs.call(own(), address)).status).to.equal('200');
    expect(await docs.overflow(), 'after a call').to.be.at.most(0);
  });
});

/** Presses Tab until the element with this name, text, id or placeholder has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = [];
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string[]>(`[document.activeElement].map((one) =>
      [one.getAttribute('aria-label'), one.textContent, one.id, one.placeholder]).flat().filter(Boolean)`);
    seen.push(focused.join(' '));
    if (focused.some((one) => one.trim() === name || (one.includes(`${name}`) && one.length < 120))) return;
  }
  throw new Error(`${name} is not reached by Tab, only ${seen.join(' | ')}`);
}
