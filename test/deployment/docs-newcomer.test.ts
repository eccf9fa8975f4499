import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { command } from '../support/commands/command.ts';
import { DocsPage, openBrowser } from '../support/documents/watched-page.ts';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

describe('the page at /docs for a newcomer, in Chromium', () => {
  after(() => browser?.close());
  const database = databaseOf('suite');
  let browser: Browser;
  let base: string;
  /** What `demo create` says. */
  let key: string;
  let campaign: string;
  let docs: DocsPage;

  const serve = () =>
    listeningService({ DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false', DEMO: 'off' });
  const filledIn = () => docs.page.locator('tr[data-param-name=campaign] input');
  /** The statuses of the documented answers that are seen. */
  const answersSeen = () =>
    docs.page.locator(
      '.responses-table:not(.live-responses-table) tr.response:visible > .response-col_status',
    );

  before(async () => {
    browser = await openBrowser();
    const before = await serve();
    docs = await DocsPage.openDocs(browser, before.base);
    await docs.opened();
    await filledIn().and(docs.page.locator('[value=""]')).waitFor();
    await docs.close();
    const demo = await command(['demo', 'create'], { DATABASE_URL: database.url('operator') });
    [, campaign = '', key = ''] =
      /campaign\/(\d+)\/mirror -H 'Authorization: Bearer (\w+)'/.exec(demo.output) ?? [];
    ({ base } = await serve());
  });
  afterEach(() => docs.close());

  it('from `/`: the key is pasted, the button is pressed, and the demonstration answers 200', async () => {
    docs = await DocsPage.openDocs(browser, base, {}, '/');
    expect(docs.page.url()).to.equal(`${base}/docs`);
    // The campaign is filled in however late its number comes: after all that the page does meanwhile.
    await docs.page.clock.install();
    await docs.page.route('**/demonstration.json', async (route) => {
      await docs.page.locator('.opblock').first().waitFor();
      await docs.page.clock.runFor(10_000);
      await route.continue();
    });
    await docs.page.reload();
    await docs.opened();
    const text = await docs.page.locator('.information-container').innerText();
    expect(text).to.match(/choose Authorize, paste the\s+key/);
    expect(text.search(/paste/)).to.be.below(text.search(/header|X-|Bearer/));
    await docs.authorize(key);
    await filledIn()
      .and(docs.page.locator(`[value="${campaign}"]`))
      .waitFor();
    await docs.page.getByRole('button', { name: 'Execute' }).click();
    const { body } = await docs.shown('200');
    expect(JSON.parse(body).mirror).to.deep.include({
      campaign_id: Number(campaign),
      target_url: 'https://second.example/?click={click_id}',
    });
  });

  it('the answers of errors are folded, those that are documented alone, and open by a button', async () => {
    docs = await DocsPage.openDocs(browser, base);
    await docs.opened();
    expect(await answersSeen().allInnerTexts()).to.deep.equal(['200']);
    const button = docs.page.getByRole('button', { name: 'Show the 14 answers of errors' });
    expect((await docs.call(campaign, 'https://second.example/')).status, 'no key').to.equal('401');
    await button.click();
    expect(await answersSeen().allInnerTexts()).to.include.members([
      '200',
      '401',
      '403',
      '404',
      '422',
      '503',
    ]);
    expect(await docs.barriers()).to.deep.equal([]);
    await docs.page.getByRole('button', { name: 'Hide the 14 answers of errors' }).click();
    expect(await answersSeen().allInnerTexts()).to.deep.equal(['200']);
  });
});
