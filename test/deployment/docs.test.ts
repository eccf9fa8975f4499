import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { commandsOn } from '../support/commands/commands-on.ts';
import { openBrowser, type WatchedPage, watchedPage } from '../support/documents/watched-page.ts';
import { databaseOf, serviceDataOf } from '../support/process/lives.ts';
import { demonstration, listeningService } from '../support/process/service-process.ts';

const address = 'https://second.example/?click={click_id}';

describe('a caller can try the call on the page at /docs, in Chromium', () => {
  after(() => browser?.close());
  const data = serviceDataOf('suite');
  const empty = databaseOf('suite');
  let browser: Browser;
  let base: string;
  let docs: WatchedPage;
  before(async () => {
    ({ base } = await listeningService(data.settings()));
    browser = await openBrowser();
  });
  afterEach(() => docs.close());

  /** Resolves when the operation is shown with all of its fields. */
  const open = async (options?: BrowserContextOptions, at = `${base}/docs`) => {
    docs = await watchedPage(browser, at, options);
    await docs.page.getByRole('button', { name: 'Authorize' }).waitFor();
    await docs.page.getByLabel('Request body').waitFor();
    await docs.page.getByRole('button', { name: 'Execute' }).waitFor();
    return docs.page;
  };
  const authorize = async (key: string) => {
    await docs.page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = docs.page.locator('.modal-ux');
    const logout = dialog.getByRole('button', { name: 'Logout' });
    if (await logout.isVisible()) await logout.click();
    await dialog.getByRole('textbox').or(dialog.locator('input')).first().fill(key);
    await dialog.getByRole('button', { name: 'Authorize' }).click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  };
  const field = () => docs.page.locator('tr[data-param-name=campaign] input');
  /** Sends the call, and resolves with the status and the body that the page shows. */
  const send = async (campaign: number, to?: string) => {
    await field().fill(String(campaign));
    if (to) await docs.page.getByLabel('Request body').fill(JSON.stringify({ mirror_endpoint: to }));
    const answered = docs.page.waitForResponse((response) => response.request().method() === 'POST');
    await docs.page.getByRole('button', { name: 'Execute' }).click();
    const table = docs.page.locator('.live-responses-table');
    const hasText = String((await answered).status());
    await table.locator('.response-col_status').filter({ hasText }).waitFor();
    const body = await table.locator('.highlight-code code').first().innerText();
    return { status: hasText, body: JSON.parse(body) };
  };
  const own = () => data.campaigns[0] as number;

  it('it shows 200 with a key, and the refusals with their bodies', async () => {
    const { id: foreign } = await commandsOn(data.database).object('campaign create --owner 2');
    await open();
    const refused = async (campaign: number, to: string, status: string, body: object) =>
      expect(await send(campaign, to)).to.deep.equal({ status, body });
    await refused(own(), address, '401', { message: 'Unauthenticated.' });
    await authorize('cm_nothing');
    await refused(own(), address, '401', { message: 'Unauthenticated.' });
    await authorize(data.key);
    const { status, body } = await send(own(), address);
    expect([status, body.mirror.target_url]).to.deep.equal(['200', address]);
    await refused(foreign, address, '403', { message: 'This action is unauthorized.' });
    const message = 'The mirror endpoint field must start with http:// or https://.';
    await refused(own(), 'somewhere', '422', { message, errors: { mirror_endpoint: [message] } });
  });

  it('it copies the call for curl, JavaScript and Python; they work, with the key in $KEY', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await authorize(data.key);
    expect((await send(own(), address)).status).to.equal('200');
    const copied: Record<string, string> = {};
    for (const name of ['curl', 'JavaScript', 'Python']) {
      await page.locator('.request-snippets').getByText(name, { exact: true }).click();
      await page.locator('.request-snippets .copy-to-clipboard button').click();
      copied[name] = await page.evaluate<string>('navigator.clipboard.readText()');
    }
    expect(await page.locator('body').innerText()).not.to.include(data.key);
    const options = { encoding: 'utf8', env: { ...process.env, KEY: data.key } } as const;
    const js = ['--input-type=module', '-e', copied.JavaScript ?? ''];
    expect(execFileSync(process.execPath, js, options)).to.match(/^200 /);
    expect(execFileSync('python3', ['-c', copied.Python ?? ''], options)).to.match(/^200 /);
    const curl = `${copied.curl} --silent --write-out '%{http_code}'`;
    expect(execFileSync('sh', ['-c', curl], options)).to.match(/^\{"mirror":.*\}200$/);
  });

  it('it is accessible, in light and dark, and fits a screen of 360 pixels', async () => {
    const page = await open({ viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: /^Show the \d+ error responses$/ }).click();
    await send(own(), address);
    expect(await docs.overflow()).to.be.at.most(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await docs.barriers(), `the call, ${colorScheme}`).to.deep.equal([]);
    }
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    expect(await docs.barriers(), 'the dialog').to.deep.equal([]);
  });

  it('it leads a newcomer from / to a 200 with the key and the campaign of the demonstration', async () => {
    const service = await listeningService({ DATABASE_URL: empty.url('owner'), DEMO: 'on' });
    const { campaign, key } = await demonstration(service.process);
    const page = await open({}, `${service.base}/`);
    expect(page.url()).to.equal(`${service.base}/docs`);
    await authorize(key);
    expect(await field().inputValue(), 'an example would be a campaign of nobody').to.equal('');
    const { body } = await send(campaign);
    expect(body.mirror).to.deep.include({ campaign_id: campaign, target_url: address });
  });
});
