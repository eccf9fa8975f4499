import type { Browser, BrowserContextOptions } from 'playwright-core';
import { WatchedPage } from './watched-page.ts';

/** The browser notes that a call was answered 4xx. */
const refusals = /^Failed to load resource: the server responded with a status of 4/;

/** The page at /docs in a real browser. */
export class DocsPage extends WatchedPage {
  static async openDocs(
    browser: Browser,
    base: string,
    options: BrowserContextOptions = {},
    path = '/docs',
  ): Promise<DocsPage> {
    const context = await browser.newContext(options);
    const docs = new DocsPage(await context.newPage(), base, refusals);
    await docs.watchPolicy();
    await docs.page.goto(`${base}${path}`);
    await docs.page.getByRole('button', { name: 'Authorize' }).waitFor();
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
}
