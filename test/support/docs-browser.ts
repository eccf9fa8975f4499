import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/** Debian's; as root it has no sandbox of its own. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

/** The page at /docs in a real browser, and what it did that it should not. */
export class DocsPage {
  readonly page: Page;
  /** Errors, violations of the policy, and requests to elsewhere. */
  readonly complaints: string[] = [];

  private constructor(page: Page, base: string) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      // That a call was answered 4xx: the browser notes it, whatever the page does.
      if (/^Failed to load resource: the server responded with a status of 4/.test(message.text())) return;
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && !request.url().startsWith(`${base}/`)) {
        this.complaints.push(request.url());
      }
    });
  }

  static async open(browser: Browser, base: string, options: BrowserContextOptions = {}): Promise<DocsPage> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const docs = new DocsPage(page, base);
    await page.exposeFunction('complain', (what: string) => docs.complaints.push(what));
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (violation) =>
      window.complain(violation.violatedDirective + ' ' + violation.blockedURI))`);
    await page.goto(`${base}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).waitFor();
    return docs;
  }

  /** Pastes a key. */
  async authorize(key: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = this.page.locator('.modal-ux');
    const logout = dialog.getByRole('button', { name: 'Logout' });
    if (await logout.isVisible()) await logout.click();
    await dialog.getByRole('textbox').or(dialog.locator('input')).first().fill(key);
    await dialog.getByRole('button', { name: 'Authorize' }).click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  }

  async openCall(): Promise<void> {
    await this.page.getByText('Set the mirror of a campaign').click();
    await this.opened();
  }

  /** Resolves when all that a call is made of can be reached: not all of it comes at once. */
  async opened(): Promise<void> {
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
  async shown(expected: string): Promise<{ status: string; body: string }> {
    const table = this.page.locator('.live-responses-table');
    const status = table.locator('.response-col_status').filter({ hasText: expected });
    await status.waitFor();
    const body = await table.locator('.highlight-code code').first().innerText();
    return { status: (await status.innerText()).trim(), body: JSON.stringify(JSON.parse(body)) };
  }

  /** What axe-core finds that is serious or critical. */
  async barriers(): Promise<string[]> {
    await this.page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await this.page.evaluate<{ violations: Violation[] }>('axe.run()');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  /** How far what it shows is wider than it is, in pixels. */
  overflow(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { html: string }[];
}
