import { DocsPage } from './support/documents/docs-browser.ts';
import { openBrowser } from './support/documents/watched-page.ts';
import { dataFolder } from './support/process/data-folder.ts';
import { endAll, listeningService } from './support/process/service-process.ts';
import { projectFolder } from './support/workspace.ts';

// Makes docs/pictures/docs-light.png and docs-dark.png with Debian's Chromium and a service of its own.
const folder = await dataFolder();
const browser = await openBrowser();
try {
  const { process: service, base } = await listeningService({ DATA_DIR: folder.path, DEMO: 'on' });
  const [, campaign = '', key = ''] = await service.says(
    () => /campaign\/(\d+)\/mirror -H 'Authorization: Bearer (\w+)'/.exec(service.output) ?? undefined,
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    const docs = await DocsPage.openDocs(browser, base, {
      colorScheme,
      viewport: { width: 900, height: 1420 },
    });
    await docs.authorize(key);
    await docs.openCall();
    await docs.call(campaign, 'https://second.example/?click={click_id}');
    // What the key is, is nobody's business.
    await docs.page.evaluate(`for (const span of document.querySelectorAll('.request-snippets span')) {
      span.textContent = span.textContent.replace(/cm_\\w+/, '$KEY');
    }`);
    await docs.page.evaluate(`document.querySelector('.opblock-post').scrollIntoView()`);
    await docs.page.screenshot({ path: `${projectFolder}docs/pictures/docs-${colorScheme}.png` });
    await docs.close();
  }
  await service.stop();
} finally {
  await browser.close();
  await endAll();
  await folder.remove();
}
