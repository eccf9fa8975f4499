import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { named } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { redirectorProgram } from '../support/process/redirector.ts';
import { endAll, listeningService, start } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { projectFolder, read } from '../support/workspace.ts';

const first = 'https://example.com/before';
const second = 'https://second.example/';

describe('examples/redirector sends visitors to the current mirror, also without the database', () => {
  const data = serviceDataOf('test', { campaigns: 2 });
  const startRedirector = redirectorProgram();
  let proxy: TcpProxy;
  let redirector: Awaited<ReturnType<typeof startRedirector>>;

  beforeEach(async () => {
    proxy = await tcpProxy(data.database.address('redirector'));
    redirector = await startRedirector({ DATABASE_URL: data.database.url('redirector', proxy) });
  });
  afterEach(async () => {
    await endAll();
    await proxy.close();
  });

  const campaign = () => data.campaigns[0] as CampaignId;
  const visit = (path: unknown, method?: string) => redirector.visit(path, method);
  const target = async () => (await visit(campaign())).location;
  const set = (address: string) =>
    commandsOn(data.database).object('mirror', 'set', `${campaign()}`, address, '--as-operator');
  const takesEffect = (address: string) =>
    eventually(address, async () => expect(await target()).to.equal(address));
  const clicks = async (of: unknown): Promise<number> => {
    const text = 'select clicks::int from campaign_mirror.mirrors where campaign_id = $1';
    return (await data.database.admin.query(text, [of])).rows[0].clicks;
  };
  const errors = () => redirector.process.errors.split('\n').filter(Boolean);
  const ends = async () => expect(await redirector.process.stop()).to.deep.equal({ code: 0, signal: null });

  it('a change by HTTP takes effect, and every click is counted', async () => {
    const service = await listeningService(data.settings());
    const address = 'https://second.example/?click={click_id}';
    expect((await call(data.one(service, { address }))).status).to.equal(200);
    const { status, location, cached } = await visit(campaign());
    expect({ status, cached }).to.deep.equal({ status: 302, cached: 'no-store' });
    expect(location).to.match(/^https:\/\/second\.example\/\?click=[0-9a-f-]{36}$/);
    await call(data.one(service, { address: 'https://third.example/' }));
    await takesEffect('https://third.example/');
    const visits = await Promise.all(Array.from({ length: 100 }, () => visit(data.campaigns[1])));
    expect(visits.every(({ location }) => location === first)).to.equal(true);
    expect((await visit(data.campaigns[1], 'HEAD')).status).to.equal(302);
    await ends();
    expect(await clicks(data.campaigns[1])).to.equal(100);
    expect(errors()).to.deep.equal([]);
  });

  it('it fills in {click_id}, changes nothing else, and answers 404 for what is no campaign', async () => {
    await set('https://{click_id}.BÜCHER。example:8443/{sub}/[x]|"%7b?s={s}&c={click_id}#{f}');
    const location = 'https://a-1.xn--bcher-kva.example:8443/{sub}/[x]|"%7b?s={s}&c=a-1#{f}';
    await eventually('the address', async () =>
      expect(await visit(`${campaign()}?gclid=1&click_id=a-1&utm_source=x`)).to.include({ location }),
    );
    const none = { status: 404, location: undefined, cached: 'no-store' };
    for (const path of ['424242', `0${campaign()}`, `${campaign()}/`, '', '../', '9007199254740993'])
      expect(await visit(path)).to.deep.equal(none);
    expect((await visit(campaign(), 'POST')).status).to.equal(405);
  });

  it('/healthz shows the age of the last poll, and when the served mirror changed', async () => {
    const health = async (query: string) => {
      const answer = await fetch(`${redirector.base}/healthz${query}`);
      const text = await answer.text();
      return { status: answer.status, ...(text && JSON.parse(text)) };
    };
    const ours = `?campaign=${campaign()}`;
    const service = await listeningService(data.settings());
    const { updated_at } = JSON.parse((await call(data.one(service))).body).mirror;
    await eventually('a poll', async () => {
      const { last_poll_age_seconds, ...others } = await health(ours);
      expect(others).to.deep.equal({ status: 200, updated_at });
      expect(last_poll_age_seconds).to.be.a('number');
    });
    expect(await health('?campaign=424242')).to.include({ status: 200, updated_at: null });
    for (const malformed of ['?campaign=', '?campaign=042', '?other=1', '/'])
      expect(await health(malformed), malformed).to.deep.equal({ status: 404 });
    await proxy.refuse();
    // A load balancer must not remove a redirector that still serves its visitors.
    await eventually('an older poll', async () => {
      const { last_poll_age_seconds, ...others } = await health('');
      expect(others).to.deep.equal({ status: 200 });
      expect(last_poll_age_seconds).to.be.above(1);
    });
    expect(await health(ours)).to.include({ status: 200, updated_at });
    redirector = await startRedirector({ DATABASE_URL: data.database.url('redirector', proxy) });
    expect(await health(''), 'before the first poll').to.deep.equal({
      status: 503,
      last_poll_age_seconds: null,
    });
  });

  it('the lines of call-from-a-script.md wait until every redirector serves the change, or end with 1', async () => {
    const page = await read('docs/how-to/call-from-a-script.md');
    const block = named(page, 'tested: by test/documents/redirector.test.ts, ').get('live') ?? '';
    const service = await listeningService(data.settings());
    const all = [redirector, await startRedirector({ DATABASE_URL: data.database.url('redirector') })];
    const variables = {
      CAMPAIGN_MIRROR_URL: service.base,
      CAMPAIGN_MIRROR_KEY: data.key,
      REDIRECTORS: all.map(({ base }) => base).join(' '),
    };
    const run = (script: string) => {
      const here = script.replaceAll('42', `${campaign()}`);
      return start('sh', ['-c', here], variables, `${projectFolder}docs/how-to/clients`);
    };
    const targets = () => Promise.all(all.map(async ({ visit }) => (await visit(campaign())).location));
    expect(await targets()).to.deep.equal([first, first]);
    proxy.freeze();
    const waiting = run(block);
    const { process } = redirector;
    const unread = process.says(() => /an address is not read/.exec(process.errors) ?? undefined);
    await Promise.race([unread, waiting.ended]);
    expect(waiting.child.exitCode).to.equal(null);
    proxy.thaw();
    expect(await waiting.done()).to.include({ code: 0, errors: '' });
    expect(await targets()).to.deep.equal([second, second]);
    proxy.freeze();
    const late = await run(block.replace('seq 60', 'seq 1')).done();
    expect(late).to.include({ code: 1, errors: `${redirector.base} does not serve it\n` });
  });

  for (const [what, fail, end] of [
    ['is away', () => proxy.refuse(), () => proxy.accept()],
    ['hangs', async () => proxy.freeze(), async () => proxy.thaw()],
  ] as const)
    it(`while the database ${what}, visitors get the last known address, and clicks are written later`, async () => {
      let visits = 0;
      const seen = async () => {
        visits += 1;
        return target();
      };
      expect(await seen()).to.equal(first);
      await fail();
      await eventually('a read that fails', async () => {
        expect(await seen()).to.equal(first);
        expect(redirector.process.errors).to.match(/an address is not read/);
      });
      expect((await visit(data.campaigns[1])).status, 'never read').to.equal(503);
      await redirector.process.shows('clicks are not written yet');
      await set(second);
      expect(await seen()).to.equal(first);
      await end();
      await eventually('the new address', async () => expect(await seen()).to.equal(second));
      await ends();
      // A statement without an answer is repeated, though it may have been executed.
      expect(await clicks(campaign())).to.be.at.least(visits);
      const kinds = errors().map((line) => line.split(':')[0]);
      expect(kinds, 'one line of each kind').to.have.length(new Set(kinds).size);
    });

  it('addresses come from a standby, clicks go to the primary, and neither needs the other', async () => {
    const primary = await tcpProxy(data.database.address('redirector'));
    redirector = await startRedirector({
      DATABASE_URL: data.database.url('redirector', primary),
      READ_DATABASE_URL: data.database.url('redirector', proxy),
    });
    await primary.refuse();
    expect(await target()).to.equal(first);
    await set(second);
    await takesEffect(second);
    expect(await clicks(campaign())).to.equal(0);
    await primary.accept();
    await proxy.refuse();
    await eventually('the clicks', async () => expect(await clicks(campaign())).to.be.above(1));
    expect(await target()).to.equal(second);
    await primary.close();
    const { code } = await redirector.process.stop();
    expect([code, errors().at(-1)]).to.deep.equal([1, '1 clicks could not be written']);
  });
});
