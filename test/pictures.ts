import { setTimeout as pause } from 'node:timers/promises';
import { command } from './support/commands/command.ts';
import { startDatabaseServer, stopDatabaseServer } from './support/database/database-server.ts';
import { DocsPage } from './support/documents/docs-browser.ts';
import { openBrowser, WatchedPage } from './support/documents/watched-page.ts';
import { call, load } from './support/http/caller.ts';
import { dataFolder } from './support/process/data-folder.ts';
import { serviceData } from './support/process/service-data.ts';
import { endAll, listeningService } from './support/process/service-process.ts';
import { unknownKey } from './support/secrets.ts';
import { projectFolder } from './support/workspace.ts';

// `npm run pictures`: makes docs/pictures by Debian's Chromium and services of its own. It takes ten minutes, which the
// page for operators shows.
type Browser = Awaited<ReturnType<typeof openBrowser>>;
const schemes = ['light', 'dark'] as const;

async function ofDocs(browser: Browser): Promise<void> {
  const folder = await dataFolder();
  try {
    const { process: service, base } = await listeningService({ DATA_DIR: folder.path, DEMO: 'on' });
    const [, campaign = '', key = ''] = await service.says(
      () => /campaign\/(\d+)\/mirror -H 'Authorization: Bearer (\w+)'/.exec(service.output) ?? undefined,
    );
    for (const colorScheme of schemes) {
      const docs = await DocsPage.openDocs(browser, base, {
        colorScheme,
        viewport: { width: 900, height: 1460 },
      });
      await docs.authorize(key);
      await docs.opened();
      await docs.call(campaign, 'https://second.example/?click={click_id}');
      // What the key is, is nobody's business.
      await docs.page.evaluate(`for (const span of document.querySelectorAll('.request-snippets span')) {
        span.textContent = span.textContent.replace(/cm_\\w+/, '$KEY');
      }`);
      await docs.page.evaluate(`document.querySelector('.opblock-post').scrollIntoView()`);
      const path = `${projectFolder}docs/pictures/docs-${colorScheme}.png`;
      await docs.page.screenshot({ path, animations: 'disabled' });
      await docs.close();
    }
    await service.stop();
  } finally {
    await endAll();
    await folder.remove();
  }
}

/** How long the service has something to do before it is looked at, in milliseconds. */
const loaded = 600_000;
const viewport = { width: 760, height: 800 };

async function ofOperatorsPage(browser: Browser): Promise<void> {
  const data = await serviceData({ campaigns: 8 });
  const service = await listeningService({
    DATABASE_URL: data.database.url('service'),
    RUN_MIGRATIONS: 'false',
  });
  const asOperator = { DATABASE_URL: data.database.url('operator') };
  const move = ['mirror', 'move', '--yes'];
  for (const words of [
    ...['9d', '21d'].map((life) => [
      'key',
      'issue',
      '--owner',
      '42',
      '--name',
      'Tracker',
      '--expires-in',
      life,
    ]),
    [...move, '--from-host', 'example.com', '--to-host', 'second.example'],
  ])
    await command(words, asOperator);
  const { rows } = await data.database.admin.query(
    'select max(id) as id from campaign_mirror.operator_audit',
  );
  await command([...move, '--undo', rows[0].id], asOperator);
  await command([...move, '--from-host', 'example.com', '--to-host', 'third.example'], asOperator);
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
  for (const colorScheme of schemes) {
    const { page } = await WatchedPage.open(browser, service.ops, '/', { colorScheme, viewport });
    await page.locator('html.good').waitFor();
    await page.screenshot({ path: `${projectFolder}docs/pictures/ops-${colorScheme}.png`, fullPage: true });
  }
  await endAll();
  await data.database.drop();
}

await startDatabaseServer();
const browser = await openBrowser();
try {
  await ofDocs(browser);
  await ofOperatorsPage(browser);
} finally {
  await browser.close();
  await stopDatabaseServer();
}
