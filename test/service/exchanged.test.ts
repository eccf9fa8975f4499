import { expect } from 'chai';
import { projectFolder, type RunningProcess, start } from '../support/process/service-process.ts';

/** A port on which nothing listens. */
const nowhere = '127.0.0.1:1';

/** A program of somebody else, which runs the service with this module. It says the key of a campaign's owner. */
const program = (rebindings: string) => `
  import { InMemoryCampaigns, InMemoryIdentity, InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
  import { runService, tokens } from '@campaign-mirror/app';
  import { ContainerModule } from 'inversify';
  const store = new InMemoryStore();
  const campaign = store.createCampaign(7);
  store.createMirror(campaign, 'https://first.example/');
  console.error(JSON.stringify({ campaign, key: store.issueKey(7).key }));
  const counts = new Map();
  const count = async (who) => {
    counts.set(who, (counts.get(who) ?? 0) + 1);
    return { consumed: counts.get(who), resetIn: 60_000 };
  };
  const limiter = { rate: { limit: 1, seconds: 60 }, count };
  const yours = new ContainerModule(async ({ rebind }) => { ${rebindings} });
  process.exit(await runService(process.env, { modules: [yours] }));`;

const rebind = {
  campaigns: 'rebind(tokens.campaignRepository).toConstantValue(new InMemoryCampaigns(store));',
  identity: 'rebind(tokens.identity).toConstantValue(new InMemoryIdentity(store));',
  limiters: `rebind(tokens.callLimiter).toConstantValue(limiter);
    rebind(tokens.failedKeyLimiter).toConstantValue(limiter);`,
};

const running = (settings: Readonly<Record<string, string>>, ...rebindings: string[]) => {
  const words = ['--input-type=module', '--eval', program(rebindings.join('\n'))];
  return start(process.execPath, words, settings, `${projectFolder}packages/app`);
};

/** The statuses of calls with the owner's key, and with one that is none. */
async function called(service: RunningProcess, keys: readonly ('own' | 'wrong')[]) {
  const { port } = await service.event('listening');
  const { campaign, key } = JSON.parse(service.errors.split('\n')[0] ?? '');
  const statuses: number[] = [];
  for (const one of keys) {
    const authorization = `Bearer ${one === 'own' ? key : 'x'}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ mirror_endpoint: 'https://second.example/' });
    const url = `http://127.0.0.1:${port}/public/v1/mirror/campaign/${campaign}/mirror`;
    statuses.push((await fetch(url, { method: 'POST', headers, body })).status);
  }
  return statuses;
}

const events = (service: RunningProcess) => service.log.map(({ event }) => event);

describe('a service with parts of somebody else', () => {
  it('both ports and the limiters: neither PostgreSQL nor Redis is asked for', async () => {
    const settings = { DATABASE_URL: `postgresql://nobody@${nowhere}/none`, REDIS_URL: `redis://${nowhere}` };
    const limits = { RATE_LIMIT: '5/1s', FAILED_KEY_LIMIT: '5/1s' };
    const service = running({ ...settings, ...limits }, rebind.campaigns, rebind.identity, rebind.limiters);
    expect(await called(service, ['own', 'own', 'wrong', 'wrong'])).to.deep.equal([200, 429, 401, 429]);
    expect(await service.stop()).to.include({ code: 0 });
    const expected = ['starting', 'listening', 'request', ...Array(2).fill('request-limited')];
    expect(events(service)).to.include.members(expected).and.not.include('uncounted');
  });

  it('the store alone, where tokens are accepted: PostgreSQL is not asked for, and it is ready', async () => {
    const jwt = {
      JWT_ISSUER: 'https://issuer.example/',
      JWT_AUDIENCE: 'x',
      JWT_JWKS_URL: `http://${nowhere}/`,
    };
    const none = { DATABASE_URL: `postgresql://nobody@${nowhere}/none` };
    const service = running({ IDENTITY: 'jwt', ...jwt, ...none }, rebind.campaigns);
    expect(await called(service, ['own', 'wrong'])).to.deep.equal([401, 401]);
    const { opsPort } = await service.event('listening');
    const ready = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
    expect(await ready.json()).to.deep.equal({ status: 'ready', checks: { accepting: true } });
    await service.stop();
  });

  for (const [kept, given] of [
    ['the store', rebind.identity],
    ['the keys', rebind.campaigns],
  ] as const)
    it(`all but ${kept}: PostgreSQL is asked for, as ever`, async () => {
      const settings = { DATABASE_URL: `postgresql://nobody@${nowhere}/none`, DATABASE_WAIT: '0s' };
      const { code, errors } = await running(settings, given).done();
      expect(code).to.equal(1);
      expect(errors).to.include(nowhere);
    });
});
