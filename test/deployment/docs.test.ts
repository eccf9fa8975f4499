import { execFileSync } from 'node:child_process';
import { openDatabase, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import type { OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { DocsPage, openBrowser } from '../support/documents/watched-page.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { tester } from '../support/store/operator.ts';

const address = 'https://second.example/?click={click_id}';

describe('the page at /docs, in Chromium', () => {
  after(() => browser?.close());
  const data = serviceDataOf('suite');
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
    return docs.page;
  };
  const own = () => data.campaigns[0] as number;

  it('shows 401 without a key and with a wrong one; with a key 200, 403, 404 and 422', async () => {
    const { orm, close } = await openDatabase(data.database.address('operator'));
    const other = { owner: 2 as OwnerId, isDefault: false };
    const { id: foreign } = await new PostgresSettings(orm, tester).createCampaign(other);
    await close();
    await open();
    await docs.opened();
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
    const message = 'The mirror endpoint field must be a valid URL.';
    await refused(own(), 'somewhere', '422', { message, errors: { mirror_endpoint: [message] } });
    expect(await data.recorded()).to.have.length(1);
  });

  it('the call is copied as curl, JavaScript and Python, and that in JavaScript runs; on a screen of 360 pixels', async () => {
    const page = await open({
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: { width: 360, height: 740 },
    });
    expect(await docs.overflow(), 'closed').to.be.at.most(0);
    await docs.authorize(data.key);
    await docs.opened();
    expect((await docs.call(own(), address)).status).to.equal('200');
    expect(await docs.overflow(), 'after a call').to.be.at.most(0);
    const copied: Record<string, string> = {};
    for (const name of ['curl', 'JavaScript', 'Python']) {
      await page.locator('.request-snippets').getByText(name, { exact: true }).click();
      await page.locator('.request-snippets .copy-to-clipboard button').click();
      copied[name] = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied[name], name).to.include(`/campaign/${own()}/mirror`).and.include(`Bearer ${data.key}`);
    }
    expect(copied.curl).to.match(/^curl -X 'POST'/);
    expect(copied.Python).to.include('urlopen');
    const script = ['--input-type=module', '-e', copied.JavaScript ?? ''];
    expect(execFileSync(process.execPath, script, { encoding: 'utf8' })).to.match(/^200 /);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`axe-core finds nothing serious in it, ${colorScheme}`, async () => {
      const page = await open({ colorScheme });
      await page.getByRole('button', { name: 'Authorize' }).click();
      expect(await docs.barriers(), 'the dialog').to.deep.equal([]);
      await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).click();
      await docs.opened();
      await docs.call(own(), address);
      expect(await docs.barriers(), 'the call').to.deep.equal([]);
      const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(background === 'rgb(28, 32, 34)', String(background)).to.equal(colorScheme === 'dark');
    });
});
