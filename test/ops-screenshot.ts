import { setTimeout as pause } from 'node:timers/promises';
import { startDatabaseServer, stopDatabaseServer } from './support/database/database-server.ts';
import { openBrowser, WatchedPage } from './support/documents/watched-page.ts';
import { call, load } from './support/http/caller.ts';
import { serviceData } from './support/process/service-data.ts';
import { endAll, listeningService } from './support/process/service-process.ts';
import { unknownKey } from './support/secrets.ts';
import { projectFolder } from './support/workspace.ts';

/** How long the service has something to do before it is looked at, in milliseconds. */
const loaded = 600_000;
const viewport = { width: 760, height: 800 };

/** Makes the pictures of the page for operators in docs/pictures. */
async function takePictures(): Promise<void> {
  const data = await serviceData({ campaigns: 8 });
  const service = await listeningService({
    DATABASE_URL: data.database.url('service'),
    RUN_MIGRATIONS: 'false',
  });
  const calls = data.campaigns.map((campaign) => ({ base: service.base, campaign, key: data.key }));
  const until = performance.now() + loaded;
  // Waves of callers, and now and then one who may not.
  for (let wave = 0; performance.now() < until; wave++) {
    const callers = load(calls, 2 + Math.round(8 * Math.abs(Math.sin(wave / 15))));
    const { base } = service;
    await call({ base, campaign: 404, key: data.key, address: 'https://example.com/' });
    if (wave % 9 === 0)
      await call({
        base,
        campaign: data.campaigns[0] ?? 0,
        key: unknownKey,
        address: 'https://example.com/',
      });
    if (wave % 5 === 0)
      await call({ base, campaign: data.campaigns[0] ?? 0, key: data.key, address: 'nowhere' });
    await pause(2_000);
    await callers.stop();
  }
  const browser = await openBrowser();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await WatchedPage.open(browser, service.ops, '/', { colorScheme, viewport });
    await page.locator('html.good').waitFor();
    await page.screenshot({ path: `${projectFolder}docs/pictures/ops-${colorScheme}.png`, fullPage: true });
  }
  await browser.close();
  await endAll();
  await data.database.drop();
}

await startDatabaseServer();
try {
  await takePictures();
} finally {
  await stopDatabaseServer();
}
