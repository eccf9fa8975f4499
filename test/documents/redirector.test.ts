import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import type { CampaignId } from '@campaign-mirror/domain';
import { freePort } from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { call } from '../support/http/caller.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { endAll, listeningService, type RunningProcess, start } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { projectFolder } from '../support/workspace.ts';

describe('examples/redirector', () => {
  const data = serviceDataOf('test', { campaigns: 2 });
  const folder = folderOf('suite');
  let proxy: TcpProxy;
  let redirector: RunningProcess;
  let base: string;

  /** As `npm install` leaves it. */
  before(async () => {
    await cp(`${projectFolder}examples/redirector`, folder.at('redirector'), { recursive: true });
    await mkdir(folder.at('redirector', 'node_modules'));
    await symlink(`${projectFolder}packages/app/node_modules/pg`, folder.at('redirector/node_modules/pg'));
  });
  beforeEach(async () => {
    proxy = await tcpProxy(data.database.address('redirector'));
    const url = new URL(data.database.url('redirector'));
    url.host = `127.0.0.1:${proxy.port}`;
    const file = folder.at('redirector-url');
    await writeFile(file, `${url}\n`);
    const settings = { DATABASE_URL_FILE: file, PORT: `${await freePort()}` };
    redirector = start(process.execPath, ['main.mjs'], settings, folder.at('redirector'));
    [, base = ''] = await redirector.says(
      () => /on (http:\S+\/c\/)CAMPAIGN\n/.exec(redirector.output) ?? undefined,
    );
  });
  afterEach(async () => {
    await endAll();
    await proxy.close();
  });

  async function visit(path: unknown, method = 'GET') {
    const { status, headers } = await fetch(`${base}${path}`, { redirect: 'manual', method });
    return { status, location: headers.get('location'), cached: headers.get('cache-control') };
  }
  const set = async (address: string) =>
    expect(
      await command(['mirror', 'set', `${campaign()}`, address, '--as-operator'], {
        DATABASE_URL: data.database.url('operator'),
      }),
    ).to.include({ code: 0 });
  const campaign = () => data.campaigns[0] as CampaignId;
  const clicks = async (of: unknown) => {
    const text = 'select clicks::int from campaign_mirror.mirrors where campaign_id = $1';
    return (await data.database.admin.query(text, [of])).rows[0].clicks;
  };

  it('a mirror that is changed by a call takes effect, and every click is counted, at its end too', async () => {
    const service = await listeningService(data.settings());
    const address = 'https://second.example/?click={click_id}';
    expect((await call(data.one(service, { address }))).status).to.equal(200);
    const { status, location, cached } = await visit(campaign());
    expect({ status, cached }).to.deep.equal({ status: 302, cached: 'no-store' });
    expect(location).to.match(/^https:\/\/second\.example\/\?click=[0-9a-f-]{36}$/);
    await call(data.one(service, { address: 'https://third.example/' }));
    await eventually('the new address', async () =>
      expect((await visit(data.campaigns[0])).location).to.equal('https://third.example/'),
    );
    const visits = await Promise.all(Array.from({ length: 100 }, () => visit(data.campaigns[1])));
    expect(visits.every(({ location }) => location === 'https://example.com/before')).to.equal(true);
    expect((await visit(data.campaigns[1], 'HEAD')).status).to.equal(302);
    expect(await redirector.stop()).to.deep.equal({ code: 0, signal: null });
    expect(await clicks(data.campaigns[1])).to.equal(100);
  });

  it('an address is left as it is but for {click_id}, which a visitor may bring; what is no campaign is 404', async () => {
    for (const [target, query, location] of [
      [
        'https://a.example/{sub}/[x]|"%7b?s={s}&c={click_id}#{f}',
        '?gclid=1&click_id=a%26b&utm_source=x',
        'https://a.example/{sub}/[x]|"%7b?s={s}&c=a%26b#{f}',
      ],
      ['https://a.example/?c={click_id}', '?click_id=%0d%0aX:%20y', 'https://a.example/?c=%0D%0AX%3A%20y'],
      ['https://münchen.example/{ü}?b', '?utm_campaign=x', 'https://xn--mnchen-3ya.example/{%C3%BC}?b'],
    ] as const) {
      await set(target);
      await eventually(target, async () =>
        expect(await visit(`${campaign()}${query}`)).to.include({ status: 302, location }),
      );
    }
    await set('https://b.example/?c={click_id}');
    await eventually('the last address', async () =>
      expect((await visit(campaign())).location).to.match(/^https:\/\/b.example\/\?c=[0-9a-f-]{36}$/),
    );
    for (const query of ['?click_id=', `?click_id=${'x'.repeat(201)}`])
      expect((await visit(`${campaign()}${query}`)).location).to.match(/\?c=[0-9a-f-]{36}$/);
    for (const path of ['424242', `0${campaign()}`, `${campaign()}/`, '', '../'])
      expect(await visit(path)).to.deep.equal({ status: 404, location: null, cached: 'no-store' });
    expect((await visit(campaign(), 'POST')).status).to.equal(405);
  });

  it('while the database is away or hangs, visitors go where they went before, and their clicks are written later', async () => {
    const location = 'https://example.com/before';
    let visits = 0;
    const seen = async (of: unknown) => {
      const { status, location } = await visit(of);
      visits += Number(of === campaign() && status === 302);
      return location ?? status;
    };
    expect(await seen(campaign())).to.equal(location);
    for (const [fail, end] of [
      [proxy.refuse, proxy.accept],
      [async () => proxy.freeze(), async () => proxy.thaw()],
    ] as const) {
      await fail();
      const failures = () => redirector.errors.split('not written yet').length;
      const before = failures();
      // Each is a second after the one before: by the second one, no address is new enough to be used unread.
      await redirector.says(() => failures() > before + 1 || undefined);
      expect(await seen(campaign())).to.equal(location);
      expect(await seen(data.campaigns[1])).to.equal(503);
      await end();
    }
    await eventually('an address that was not read before', async () =>
      expect(await seen(data.campaigns[1])).to.equal(location),
    );
    expect(await redirector.stop()).to.deep.equal({ code: 0, signal: null });
    // One whose answer was lost may have been written all the same.
    expect(await clicks(campaign())).to.be.at.least(visits);
  });
});
