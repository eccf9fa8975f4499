import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

const require = createRequire(import.meta.url);

/** Debian's Chromium; it has no sandbox when root starts it. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

/** The browser reports answers of 4xx and 503 as errors, which the tests cause on purpose. */
const expected = /^Failed to load resource: the server responded with a status of (4|503)/;

export type WatchedPage = Awaited<ReturnType<typeof watchedPage>>;

/** A page whose errors, violations of its policy, and requests to elsewhere make `close` fail. */
export async function watchedPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const page = await (await browser.newContext(options)).newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !expected.test(message.text()))
      complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && new URL(request.url()).origin !== new URL(url).origin)
      complaints.push(request.url());
  });
  await page.goto(url);
  return {
    page,
    /** The serious and critical findings of axe-core, after all transitions of colours have ended. */
    barriers: async (): Promise<string[]> => {
      await page.evaluate(`Promise.allSettled(document.getAnimations()
        .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
        .map(({ finished }) => finished))`);
      await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    overflow: () => page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
    close: async (): Promise<void> => {
      await page.context().close();
      expect(complaints).to.deep.equal([]);
    },
  };
}
