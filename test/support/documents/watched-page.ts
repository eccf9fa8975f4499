import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
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

  /** `expected`: of what the browser notes, whatever the page does. */
  protected constructor(page: Page, base: string, expected?: RegExp) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (expected?.test(message.text())) return;
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith('data:') && !url.startsWith(`${base}/`)) this.complaints.push(url);
    });
  }

  static async open(browser: Browser, base: string, path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const watched = new WatchedPage(page, base);
    if (options.javaScriptEnabled !== false) await watched.watchPolicy();
    await page.goto(`${base}${path}`);
    return watched;
  }

  /** Before the page is there; by a script of its own. */
  protected async watchPolicy(): Promise<void> {
    await this.page.exposeFunction('complain', (what: string) => this.complaints.push(what));
    await this.page.addInitScript(`document.addEventListener('securitypolicyviolation', (violation) =>
      window.complain(violation.violatedDirective + ' ' + violation.blockedURI))`);
  }

  /** What axe-core finds that is serious or critical, once colours have stopped to change. */
  async barriers(): Promise<string[]> {
    await this.page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished))`);
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
