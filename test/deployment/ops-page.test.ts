import { expect } from 'chai';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { openBrowser, WatchedPage } from '../support/documents/watched-page.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

describe('the page for operators, in Chromium', () => {
  after(async () => {
    await browser?.close();
    await callers?.stop();
  });
  const data = serviceDataOf('suite', { campaigns: 4 });
  let service: Listening;
  let browser: Browser;
  let callers: ReturnType<typeof load>;
  let watched: WatchedPage;
  const longHost = `${'longlabel'.repeat(6)}.example`;

  before(async () => {
    const on = commandsOn(data.database);
    const names = ['x'.repeat(200), 'x\u202e --hosts a.example,*.b.example', 'x', 'x'];
    for (const [at, life] of ['29d', '2d', '31d', '1d'].entries())
      await on.object(`key issue --owner 7 --expires-in ${life} --name ${names[at]}`);
    // In the order in which they were issued: the key of the data is the first.
    await on.object('key revoke 5');
    const moved = await on.objects('mirror move --from-host example.com --to-host second.example --yes');
    await on.objects(`mirror move --undo ${moved.at(-1).move} --yes`);
    // A move of many mirrors is several entries, of which the first is its number.
    await data.database.admin.query(`
      with large as materialized (
        select jsonb_build_object('from', 'a.example', 'to', '${longHost}', 'mirrors', 1000) as details
      ), first as (
        insert into campaign_mirror.operator_audit (act, operator, request_id, details)
        select 'mirrors-moved', 'me', 'large', details from large returning id
      )
      insert into campaign_mirror.operator_audit (act, operator, request_id, details, part_of)
      select 'mirrors-moved', 'me', 'large', details, first.id from large, first, generate_series(1, 2)`);
    const lines = 'campaign,address\n1,https://third.example/';
    const fromFile = await command(['mirror', 'set', '--file', '-', '--yes'], on.settings, lines);
    expect(fromFile).to.include({ code: 0 });
    service = await listeningService(data.settings());
    callers = load(data.updates(service.base), 2);
    browser = await openBrowser();
  });
  afterEach(() => watched.close());

  const open = async (options?: BrowserContextOptions, { ops } = service) => {
    watched = await WatchedPage.open(browser, ops, '/', options);
    await watched.page.locator('html.good, html.bad').waitFor();
    return watched.page;
  };
  /** Resolves when it shows such a text. */
  const shows = (name: string, hasText: RegExp) =>
    watched.page.locator(`:is([data-text="${name}"], [data-series="${name}"])`, { hasText }).waitFor();
  const textOf = (what: string) => watched.page.locator(what).innerText();
  const rowsOf = async (name: string) => {
    const rows = await watched.page.locator(`[data-rows="${name}"] tr`).all();
    return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
  };

  it('its figures move while there is a load, and the pointer shows those of another moment', async () => {
    const page = await open();
    await shows('requests', /[1-9]/);
    const at = await textOf('[data-text="at"]');
    const before = await page.locator('canvas').first().screenshot();
    expect((await call(data.one(service, { campaign: 404_404 }))).status).to.equal(404);
    const row = page.locator('[data-rows="refusals"] tr', { hasText: 'campaign-not-found' });
    expect(await row.innerText()).to.match(/^campaign-not-found\s+404\s+1\s+\d\d:\d\d:\d\d$/);
    await page.reload();
    await row.getByText('before').waitFor();
    expect(await page.locator('canvas').first().screenshot()).not.to.deep.equal(before);
    const moment = await textOf('[data-text="at"]');
    expect(moment)
      .to.match(/^\d\d:\d\d:\d\d UTC$/)
      .and.not.to.equal(at);
    const figures = await textOf('[data-rows="figures"]');
    expect(figures)
      .to.match(/requests in flight\s+\d+ of 512\s/)
      .and.match(/event loop late, p99\s+[1-9]\S* ms\s/)
      .and.match(/memory\s+\d+ MiB$/);
    expect(figures).to.match(/runs since\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC\s/);
    expect(await textOf('[data-rows="checks"]')).to.match(/database\s+passes/);
    expect(await page.title()).to.equal('Ready · Campaign Mirror');

    await page.locator('.u-over').first().hover();
    await shows('when', /^at \d\d:\d\d:\d\d UTC$/);
    // The first moment has no rates.
    await shows('requests', /^–$/);
    await page.mouse.move(0, 0);
    await shows('requests', /\d/);
  });

  it('tells the keys that expire within 30 days, the next first, and the last moves, the newest first', async () => {
    await open();
    const expiring = await rowsOf('keys');
    expect(expiring.map(([id, name, owner]) => `${id} ${name} of ${owner}`)).to.deep.equal([
      '3 x\\u{202e} of 7',
      `2 ${'x'.repeat(200)} of 7`,
    ]);
    const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    expect(expiring[0]?.[3]).to.match(new RegExp(`^${soon} \\d\\d:\\d\\d$`));
    expect(expiring.map((row) => row[4])).to.deep.equal(['a.example, *.b.example', 'any']);
    const moves = await rowsOf('moves');
    const first = Number(moves[3]?.[0]);
    expect(moves.map(([id, , what, mirrors]) => [Number(id), what, mirrors])).to.deep.equal([
      [first + 5, 'addresses of a file', '1'],
      [first + 2, `a.example → ${longHost}`, '3,000'],
      [first + 1, `undoes move ${first}`, '4'],
      [first, 'example.com → second.example', '4'],
    ]);
    for (const [, when] of moves) expect(when).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  });

  it('axe-core finds nothing serious in it, light and dark; and it fits a screen of 360 pixels', async () => {
    const page = await open({ viewport: { width: 360, height: 740 } });
    await shows('requests', /[1-9]/);
    expect(await page.locator('canvas').count()).to.equal(4);
    for (const [colorScheme, paper] of [
      ['dark', 'rgb(20, 23, 26)'],
      ['light', 'rgb(255, 255, 255)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).to.equal(paper);
      expect(await watched.barriers()).to.deep.equal([]);
      expect(await watched.overflow()).to.be.at.most(0);
    }
  });

  it('behind a prefix, and whatever it is told, which is text', async () => {
    const page = await open();
    const hostile = '<img src=x onerror=complain("run")>';
    await page.route('**/below/**', async (route) => {
      const path = new URL(route.request().url()).pathname.replace('/below', '');
      const response = await route.fetch({ url: `${service.ops}${path}` });
      if (path === '/metrics') {
        const name = 'campaign_mirror_http_refusals_total';
        return route.fulfill({ response, body: `${name}{because="${hostile}",status="403"} 1\n` });
      }
      if (path !== '/state.json') return route.fulfill({ response });
      const json = { ...(await response.json()), readiness: { [hostile]: false } };
      return route.fulfill({ response, json });
    });
    await page.goto(`${service.ops}/below/`);
    await shows('state', /^Not ready: <img/);
    expect(await textOf('[data-rows="refusals"]')).to.include(hostile);
    expect(await textOf('tr.bad')).to.match(/fails$/);
  });

  it('reads latency off the buckets between two looks, as Prometheus does, and nothing from before a restart', async () => {
    const page = await open();
    let looks = 0;
    await page.route('**/metrics', async (route) => {
      const counts =
        [
          [0, 0, 1_000],
          [50, 100, 1_100],
          [50, 100, 1_200],
          [1, 2, 3],
        ][Math.min(looks++, 3)] ?? [];
      const buckets = [0.001, 0.002, '+Inf'].map(
        (le, at) =>
          `campaign_mirror_http_request_duration_seconds_bucket{le="${le}",listener="callers"} ${counts[at]}`,
      );
      const started = `process_start_time_seconds ${looks < 4 ? 1 : 2}`;
      await route.fulfill({ body: [...buckets, started, ''].join('\n') });
    });
    await page.reload();
    const shown = async (percentile99: string, median: string) => {
      await shows('percentile99', new RegExp(`^${percentile99}$`));
      await shows('median', new RegExp(`^${median}$`));
    };
    await shown('1.98', '1');
    await shown('2', '2');
    await shown('–', '–');
    await shows('serverErrors', /^–$/);
  });

  it('a database that is away: the lists say so, and the rest of the page works', async () => {
    const proxy = await tcpProxy(data.database.address('service'));
    const DATABASE_URL = data.database.url('service', proxy);
    const other = await listeningService(data.settings({ DATABASE_URL }));
    proxy.freeze();
    await open({}, other);
    for (const name of ['noKeys', 'noMoves'])
      expect(await textOf(`[data-text="${name}"]`)).to.equal('The database does not answer.');
    await shows('state', /^Not ready: .*database/);
    await shows('poolInUse', /\d/);
    expect(await rowsOf('figures')).to.have.length(9);
    // The page goes on asking the service, which ends after it.
    await proxy.close();
  });

  it('says so when it is not answered any more, and recovers', async () => {
    const page = await open();
    await page.locator('html.good').waitFor();
    service.process.child.kill('SIGSTOP');
    await shows('state', /^No answer since \d\d:\d\d:\d\d UTC$/);
    await page.locator('html.bad').waitFor();
    service.process.child.kill('SIGCONT');
    await shows('state', /^Ready$/);
    await page.locator('html.good').waitFor();
  });
});
