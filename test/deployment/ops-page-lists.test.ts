import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { command } from '../support/commands/command.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { openBrowser, WatchedPage } from '../support/documents/watched-page.ts';
import { eventually } from '../support/eventually.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

describe('the page for operators, its lists and plots, in Chromium', () => {
  after(async () => {
    await browser?.close();
    await proxy?.close();
  });
  const data = serviceDataOf('suite', { campaigns: 3 });
  let browser: Browser;
  let proxy: TcpProxy;
  let service: Listening;
  let watched: WatchedPage;
  const keys: string[] = [];
  const longHost = `${'longlabel'.repeat(6)}.example`;

  const run = async (...words: string[]) => {
    const { code, output, errors } = await command(words, { DATABASE_URL: data.database.url('operator') });
    expect(code, errors).to.equal(0);
    return output;
  };
  const issue = async (owner: number, expiresIn: string) => {
    const output = await run('key', 'issue', '--owner', `${owner}`, '--name', 'x', '--expires-in', expiresIn);
    keys.push(output.trim());
  };

  before(async () => {
    for (const life of ['29d', '2d', '31d', '1d']) await issue(7, life);
    // In the order in which they were issued: the key of the data is the first.
    await run('key', 'revoke', '5');
    await run('mirror', 'move', '--from-host', 'example.com', '--to-host', 'second.example', '--yes');
    await run('mirror', 'move', '--undo', await lastMove(), '--yes');
    // A move of many mirrors is several entries, of which the first is its number.
    await data.database.admin.query(`
      insert into campaign_mirror.operator_audit (act, operator, request_id, details)
      select 'mirrors-moved', 'me', 'large', jsonb_build_object('from', 'a.example', 'to', '${longHost}', 'mirrors', 1000)
      from generate_series(1, 3)`);
    proxy = await tcpProxy(data.database.address('service'));
    browser = await openBrowser();
  });
  beforeEach(async () => {
    const url = new URL(data.database.url('service'));
    url.host = `127.0.0.1:${proxy.port}`;
    service = await listeningService(data.settings({ DATABASE_URL: url.href }));
  });
  afterEach(async () => {
    proxy.thaw();
    await service.process.stop();
    await watched.close();
  });

  const lastMove = async () => {
    const { rows } = await data.database.admin.query(
      "select max(id) as id from campaign_mirror.operator_audit where act = 'mirrors-moved'",
    );
    return String(rows[0].id);
  };
  const open = async () => {
    watched = await WatchedPage.open(browser, service.ops, '/');
    return watched.page;
  };
  const told = async (page: Page, name: string) => {
    await page.locator('html.good, html.bad').waitFor();
    const rows = await page.locator(`[data-rows="${name}"] tr`).all();
    return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
  };
  const ofPage = "datname = current_database() and application_name = 'campaign-mirror pages'";

  it('tells the keys that expire within 30 days, the next first, and the last moves, the newest first', async () => {
    const page = await open();
    const expiring = await told(page, 'keys');
    expect(expiring.map(([id, owner]) => [id, owner])).to.deep.equal([
      ['3', '7'],
      ['2', '7'],
    ]);
    const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    expect(expiring[0]?.[2]).to.match(new RegExp(`^${soon} \\d\\d:\\d\\d$`));
    const moves = await told(page, 'moves');
    const [, , first = []] = moves;
    expect(moves.map(([, , what, mirrors]) => [what, mirrors])).to.deep.equal([
      [`a.example → ${longHost}`, '3,000'],
      [`undoes move ${first[0]}`, '3'],
      ['example.com → second.example', '3'],
    ]);
    expect(moves[0]?.[0], 'the number that the audit and --undo know').to.equal(
      String(Number(await lastMove()) - 2),
    );
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await watched.overflow(), 'on a phone, with the name of a long host').to.be.at.most(0);
    for (const [, when] of moves) expect(when).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    const state = await (await fetch(`${service.ops}/state.json`)).text();
    expect(JSON.parse(state).keys[0]).to.have.all.keys('id', 'owner', 'expiresAt', 'all');
    const everything = (await page.content()) + state;
    for (const key of [data.key, ...keys]) expect(everything).not.to.include(key.slice(0, 8));
  });

  it('the database is asked once, however often the page asks', async () => {
    await told(await open(), 'keys');
    const asked = async () => {
      const text = `select query_start from pg_stat_activity where ${ofPage}`;
      return (await data.database.admin.query(text)).rows;
    };
    const once = await asked();
    expect(once).to.have.length(1);
    for (let time = 0; time < 20; time++) await (await fetch(`${service.ops}/state.json`)).text();
    expect(await asked()).to.deep.equal(once);
  });

  it('a database that is away: the lists say so, and the rest of the page works', async () => {
    proxy.freeze();
    const page = await open();
    await page.locator('html.bad').waitFor();
    for (const name of ['noKeys', 'noMoves'])
      expect(await page.locator(`[data-text="${name}"]`).innerText()).to.equal(
        'The database does not answer.',
      );
    expect(await page.locator('[data-text="state"]').innerText()).to.match(/^Not ready: .*database/);
    await page.locator('[data-series="poolInUse"]', { hasText: /\d/ }).waitFor();
    expect(await told(page, 'figures')).to.have.length(9);
  });

  it('a time axis, a point that stands alone, and words instead of abbreviations', async () => {
    const page = await open();
    // What is written into the canvas from here on.
    await page.evaluate(`window.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
        window.written.push(text);
        return fillText.call(this, text, ...more);
      }`);
    await page.route('**/state.json', async (route) => {
      const response = await route.fetch();
      const state = await response.json();
      const times = [-400, -300, -200, -100].map((seconds) => state.at + seconds);
      const series = Object.fromEntries(
        Object.keys(state.series).map((name) => [name, [null, 5, null, null]]),
      );
      await route.fulfill({ response, json: { ...state, times, series } });
    });
    await eventually('a point in each plot', async () => {
      const coloured = await page.evaluate<
        number[]
      >(`[...document.querySelectorAll('canvas')].map((canvas) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) {
          const [red, green, blue, alpha] = data.slice(at, at + 4);
          if (alpha === 255 && Math.max(red, green, blue) - Math.min(red, green, blue) > 100) count += 1;
        }
        return count;
      })`);
      expect(coloured).to.have.length(4);
      for (const pixels of coloured) expect(pixels).to.be.within(20, 100);
    });
    const written = await page.evaluate<string[]>('window.written');
    const minutes = Math.floor(Date.now() / 60_000);
    const clock = (minute: number) => new Date(minute * 60_000).toISOString().slice(11, 16);
    const last = [minutes, minutes - 1, minutes - 2].map(clock);
    expect(written.filter((text) => last.includes(text)).length, 'in each plot').to.be.at.least(4);
    const words = await page.locator('main').innerText();
    expect(words)
      .to.match(/median/)
      .and.to.match(/99th percentile/);
    expect(words).not.to.match(/p50|p99/i);
  });
});
