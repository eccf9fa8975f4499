import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/** Debian's Chromium; it has no sandbox when root starts it. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

/** The browser reports answers of 4xx and 503 as errors, which the tests cause on purpose. */
const expected = /^Failed to load resource: the server responded with a status of (4|503)/;

/** A page in a browser, with its errors, violations of its policy, and requests to elsewhere as `complaints`. */
export class WatchedPage {
  readonly page: Page;
  readonly complaints: string[] = [];

  constructor(page: Page, base: string) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !expected.test(message.text()))
        this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith('data:') && !url.startsWith(`${base}/`)) this.complaints.push(url);
    });
  }

  static async open(browser: Browser, base: string, path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const watched = new this(await context.newPage(), base);
    const { page, complaints } = watched;
    await page.exposeFunction('complain', (what: string) => complaints.push(what));
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (violation) =>
      window.complain(violation.violatedDirective + ' ' + violation.blockedURI))`);
    await page.goto(`${base}${path}`);
    return watched;
  }

  /** The serious and critical findings of axe-core, after all transitions of colours have ended. */
  async barriers(): Promise<string[]> {
    await this.page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished))`);
    await this.page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await this.page.evaluate<AxeResults>('axe.run()');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  overflow(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  }

  async close(): Promise<void> {
    await this.page.context().close();
    expect(this.complaints).to.deep.equal([]);
  }
}

export class DocsPage extends WatchedPage {
  /** Resolves when the operation is shown with all of its fields. */
  static async openDocs(browser: Browser, base: string, options?: BrowserContextOptions, path = '/docs') {
    const docs = (await DocsPage.open(browser, base, path, options)) as DocsPage;
    await docs.page.getByRole('button', { name: 'Authorize' }).waitFor();
    await docs.page.locator('tr[data-param-name=campaign] input').waitFor();
    await docs.page.getByLabel('Request body').waitFor();
    await docs.page.getByRole('button', { name: 'Execute' }).waitFor();
    return docs;
  }

  async authorize(key: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = this.page.locator('.modal-ux');
    const logout = dialog.getByRole('button', { name: 'Logout' });
    if (await logout.isVisible()) await logout.click();
    await dialog.getByRole('textbox').or(dialog.locator('input')).first().fill(key);
    await dialog.getByRole('button', { name: 'Authorize' }).click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  }

  /** Sends the call, and resolves with the status and the body that the page shows. */
  async call(campaign: number | string, address: unknown): Promise<{ status: string; body: string }> {
    await this.page.locator('tr[data-param-name=campaign] input').fill(String(campaign));
    await this.page.getByLabel('Request body').fill(JSON.stringify({ mirror_endpoint: address }));
    const answered = this.page.waitForResponse((response) => response.request().method() === 'POST');
    await this.page.getByRole('button', { name: 'Execute' }).click();
    return this.shown(String((await answered).status()));
  }

  async shown(hasText: string): Promise<{ status: string; body: string }> {
    const table = this.page.locator('.live-responses-table');
    const status = table.locator('.response-col_status').filter({ hasText });
    await status.waitFor();
    const body = await table.locator('.highlight-code code').first().innerText();
    return { status: (await status.innerText()).trim(), body: JSON.stringify(JSON.parse(body)) };
  }
}
