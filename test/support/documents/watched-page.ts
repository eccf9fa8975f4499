import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/** Debian's; as root it has no sandbox of its own. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

/** A page in a real browser, and what it does that it should not. */
export class WatchedPage {
  readonly page: Page;
  /** Errors, violations of the policy, and requests to elsewhere. */
  readonly complaints: string[] = [];

  /** Of what the browser notes, whatever the page does. */
  protected readonly expected: RegExp | undefined;

  constructor(page: Page, base: string) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (this.expected?.test(message.text())) return;
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
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

  /** What axe-core finds that is serious or critical, once colours have stopped to change. */
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

  /** @throws AssertionError for what it should not have done */
  async close(): Promise<void> {
    await this.page.context().close();
    expect(this.complaints, 'errors, violations of the policy, requests to elsewhere').to.deep.equal([]);
  }
}

export class DocsPage extends WatchedPage {
  protected override readonly expected = /^Failed to load resource: the server responded with a status of 4/;

  static async openDocs(browser: Browser, base: string, options?: BrowserContextOptions, path = '/docs') {
    const docs = (await DocsPage.open(browser, base, path, options)) as DocsPage;
    await docs.page.getByRole('button', { name: 'Authorize' }).waitFor();
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

  /** Resolves when the operation is open, as it is from the start. */
  async opened(): Promise<void> {
    // Not all that a call is made of comes at once.
    await this.page.locator('tr[data-param-name=campaign] input').waitFor();
    await this.page.getByLabel('Request body').waitFor();
    await this.page.getByRole('button', { name: 'Execute' }).waitFor();
  }

  /** Sends the call and resolves with the status and the body that the page shows. */
  async call(campaign: number | string, address: unknown): Promise<{ status: string; body: string }> {
    await this.page.locator('tr[data-param-name=campaign] input').fill(String(campaign));
    await this.page.getByLabel('Request body').fill(JSON.stringify({ mirror_endpoint: address }));
    const answered = this.page.waitForResponse((response) => response.request().method() === 'POST');
    await this.page.getByRole('button', { name: 'Execute' }).click();
    return this.shown(String((await answered).status()));
  }

  /** What the page shows as soon as it is this status. */
  async shown(hasText: string): Promise<{ status: string; body: string }> {
    const table = this.page.locator('.live-responses-table');
    const status = table.locator('.response-col_status').filter({ hasText });
    await status.waitFor();
    const body = await table.locator('.highlight-code code').first().innerText();
    return { status: (await status.innerText()).trim(), body: JSON.stringify(JSON.parse(body)) };
  }
}
