// `npm run pictures`: makes docs/pictures by Debian's Chromium and a service of its own. It takes ten minutes, which the
// page for operators shows.
import { setTimeout as pause } from 'node:timers/promises';
import { command } from './support/commands/command.ts';
import { startDatabaseServer, stopDatabaseServer } from './support/database/database-server.ts';
import { DocsPage, openBrowser, WatchedPage } from './support/documents/watched-page.ts';
import { call, load } from './support/http/caller.ts';
import { serviceData } from './support/process/service-data.ts';
import { endAll, listeningService } from './support/process/service-process.ts';
import { unknownKey } from './support/secrets.ts';
import { projectFolder } from './support/workspace.ts';

/** How long the service has something to do before it is looked at, in milliseconds. */
const loaded = 600_000;
const picture = (name: string) => `${projectFolder}docs/pictures/${name}.png`;

await startDatabaseServer();
const browser = await openBrowser();
try {
  const data = await serviceData({ campaigns: 8 });
  const service = await listeningService(data.settings());
  const asOperator = { DATABASE_URL: data.database.url('operator') };
  for (const words of [
    'key issue --owner 42 --name Tracker --expires-in 9d',
    'key issue --owner 42 --name Tracker --expires-in 21d',
    'mirror move --from-host example.com --to-host second.example --yes',
    'mirror move --from-host second.example --to-host third.example --yes',
  ])
    await command(words.split(' '), asOperator);
  const until = performance.now() + loaded;
  // Waves of callers, and now and then one who may not.
  for (let wave = 0; performance.now() < until; wave++) {
    const callers = load(data.updates(service.base), 2 + Math.round(8 * Math.abs(Math.sin(wave / 15))));
    await call(data.one(service, { campaign: 404 }));
    if (wave % 9 === 0) await call(data.one(service, { key: unknownKey }));
    if (wave % 5 === 0) await call(data.one(service, { address: 'nowhere' }));
    await pause(2_000);
    await callers.stop();
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    const small = { colorScheme, viewport: { width: 760, height: 800 } };
    const { page } = await WatchedPage.open(browser, service.ops, '/', small);
    await page.locator('html.good').waitFor();
    await page.screenshot({ path: picture(`ops-${colorScheme}`), fullPage: true });

    const high = { colorScheme, viewport: { width: 900, height: 1460 } };
    const docs = await DocsPage.openDocs(browser, service.base, high);
    await docs.authorize(data.key);
    await docs.opened();
    await docs.call(String(data.campaigns[0]), 'https://second.example/?click={click_id}');
    // What the key is, is nobody's business.
    await docs.page.evaluate(`for (const span of document.querySelectorAll('.request-snippets span')) {
      span.textContent = span.textContent.replace(/cm_\\w+/, '$KEY');
    }`);
    await docs.page.evaluate(`document.querySelector('.opblock-post').scrollIntoView()`);
    await docs.page.screenshot({ path: picture(`docs-${colorScheme}`) });
    await docs.close();
  }
} finally {
  await endAll();
  await browser.close();
  await stopDatabaseServer();
}
