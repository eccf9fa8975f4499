import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { commandsOn } from '../support/commands/commands-on.ts';
import { DocsPage, openBrowser } from '../support/documents/watched-page.ts';
import { databaseOf, serviceDataOf } from '../support/process/lives.ts';
import { demonstration, listeningService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const address = 'https://second.example/?click={click_id}';

describe('the page at /docs, in Chromium', () => {
  after(() => browser?.close());
  const data = serviceDataOf('suite');
  const empty = databaseOf('suite');
  let browser: Browser;
  let base: string;
  let docs: DocsPage;
  before(async () => {
    ({ base } = await listeningService(data.settings({ CORS_ORIGINS: 'https://tools.example' })));
    browser = await openBrowser();
  });
  afterEach(() => docs.close());

  const open = async (options?: BrowserContextOptions) => {
    docs = await DocsPage.openDocs(browser, base, options);
    await docs.opened();
    return docs.page;
  };
  const own = () => data.campaigns[0] as number;

  it('shows 401 without a key and with a wrong one; with a key 200, 403, 404 and 422', async () => {
    const { object } = commandsOn(data.database);
    const { id: foreign } = await object('campaign create --owner 2');
    await open();
    const refused = async (campaign: number, to: string, status: string, body: object) =>
      expect(await docs.call(campaign, to)).to.deep.equal({ status, body: JSON.stringify(body) });
    await refused(own(), address, '401', { message: 'Unauthenticated.' });
    await docs.authorize('cm_nothing');
    await refused(own(), address, '401', { message: 'Unauthenticated.' });
    await docs.authorize(data.key);
    const { status, body } = await docs.call(own(), address);
    expect([status, JSON.parse(body).mirror.target_url]).to.deep.equal(['200', address]);
    await refused(foreign, address, '403', { message: 'This action is unauthorized.' });
    await refused(424242, address, '404', { message: 'No query results for model [Campaign] 424242' });
    const message = 'The mirror endpoint field must start with http:// or https://.';
    await refused(own(), 'somewhere', '422', { message, errors: { mirror_endpoint: [message] } });
    expect(await data.recorded()).to.have.length(1);
  });

  it('the call is copied as curl, JavaScript and Python, which run with the key in $KEY; on a screen of 360 pixels', async () => {
    const viewport = { width: 360, height: 740 };
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'], viewport });
    await docs.authorize(data.key);
    expect((await docs.call(own(), address)).status).to.equal('200');
    expect(await docs.overflow(), 'after a call').to.be.at.most(0);
    const copied: Record<string, string> = {};
    for (const name of ['curl', 'JavaScript', 'Python']) {
      await page.locator('.request-snippets').getByText(name, { exact: true }).click();
      await page.locator('.request-snippets .copy-to-clipboard button').click();
      copied[name] = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied[name], name).to.include(`/campaign/${own()}/mirror`).and.include('Bearer $KEY');
    }
    expect(await page.locator('body').innerText()).not.to.include(data.key);
    expect(copied.curl).to.match(/^curl -X 'POST'/);
    const options = { encoding: 'utf8', env: { ...process.env, KEY: data.key } } as const;
    const js = ['--input-type=module', '-e', copied.JavaScript ?? ''];
    expect(execFileSync(process.execPath, js, options)).to.match(/^200 /);
    expect(execFileSync('python3', ['-c', copied.Python ?? ''], options)).to.match(/^200 /);
    const curl = `${copied.curl} --silent --write-out '%{http_code}'`;
    expect(execFileSync('sh', ['-c', curl], options)).to.match(/^\{"mirror":.*\}200$/);
  });

  it('the error responses open by a button, and axe-core finds nothing serious, light and dark', async () => {
    const page = await open();
    const answers = page.locator(
      '.responses-table:not(.live-responses-table) tr.response:visible > .response-col_status',
    );
    expect(await answers.allInnerTexts()).to.deep.equal(['200']);
    await page.getByRole('button', { name: 'Show the 15 error responses' }).click();
    const errors = ['401', '403', '404', '422', '503'];
    expect(await answers.allInnerTexts()).to.include.members(['200', ...errors]);
    await docs.call(own(), address);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await eventually(`${colorScheme} colours`, async () => {
        const colour = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
        expect(colour === 'rgb(28, 32, 34)', String(colour)).to.equal(colorScheme === 'dark');
      });
      expect(await docs.barriers(), `the call, ${colorScheme}`).to.deep.equal([]);
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      expect(await docs.barriers(), `the dialog, ${colorScheme}`).to.deep.equal([]);
      await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).click();
    }
  });

  it('from `/`: a newcomer fills in key and campaign of the demonstration, and is answered 200', async () => {
    const service = await listeningService({ DATABASE_URL: empty.url('owner'), DEMO: 'on' });
    const { campaign, key } = await demonstration(service.process);
    docs = await DocsPage.openDocs(browser, service.base, {}, '/');
    expect(docs.page.url()).to.equal(`${service.base}/docs`);
    await docs.opened();
    const text = await docs.page.locator('.information-container').innerText();
    expect(text).to.match(/choose Authorize, paste the\s+key/);
    expect(text.search(/paste/)).to.be.below(text.search(/header|X-|Bearer/));
    await docs.authorize(key);
    const field = docs.page.locator('tr[data-param-name=campaign] input');
    expect(await field.inputValue(), 'the example of the document is nobody’s campaign').to.equal('');
    await field.fill(String(campaign));
    await docs.page.getByRole('button', { name: 'Execute' }).click();
    const { body } = await docs.shown('200');
    expect(JSON.parse(body).mirror).to.deep.include({ campaign_id: campaign, target_url: address });
  });
});
