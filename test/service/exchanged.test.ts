import { expect } from 'chai';
import { call } from '../support/http/caller.ts';
import { projectFolder, type RunningProcess, start } from '../support/process/service-process.ts';

/** No server listens on this port. */
const noDatabase = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };

/** A program that runs the service with a module. It prints a campaign, and the key of its owner. */
const program = (rebindings: string) => `
  import { runService, tokens } from '@campaign-mirror/app';
  import { InMemoryStore } from '${projectFolder}packages/port-contracts/src/in-memory.ts';
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

function running(settings: Readonly<Record<string, string>>, ...rebindings: string[]): RunningProcess {
  const words = ['--input-type=module', '--eval', program(rebindings.join('\n'))];
  return start(process.execPath, words, settings, `${projectFolder}packages/app`);
}

/** Replaces every part that needs a database. */
const all = `
  rebind(tokens.campaignRepository).toConstantValue(store);
  rebind(tokens.identity).toConstantValue(store);
  rebind(tokens.callLimiter).toConstantValue(limiter);
  rebind(tokens.failedKeyLimiter).toConstantValue(limiter);`;

/** The statuses of calls. KEY stands for the owner's key. */
async function statuses(service: RunningProcess, ...keys: readonly string[]) {
  const { port } = await service.event('listening');
  const { campaign, key } = JSON.parse(service.errors.split('\n')[0] ?? '');
  const one = { base: `http://127.0.0.1:${port}`, campaign, address: 'https://second.example/' };
  const found: (number | undefined)[] = [];
  for (const given of keys) found.push((await call({ ...one, key: given.replace('KEY', key) })).status);
  return found;
}

async function expectReadyWithoutDatabase(service: RunningProcess): Promise<void> {
  const { opsPort } = await service.event('listening');
  const ready = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
  expect(await ready.json()).to.deep.equal({ status: 'ready', checks: { accepting: true } });
  expect(await service.stop()).to.include({ code: 0 });
}

describe('docs: use the packages: a program can replace the parts of the service', () => {
  it('if it replaces all parts, the service needs no database', async () => {
    const service = running(
      { ...noDatabase, RATE_LIMIT: '5/1s', FAILED_KEY_LIMIT: '5/1s' },
      all,
      // Credentials in another form.
      `const whoIs = (credential) => store.whoIs(credential.replace('own-', ''));
       rebind(tokens.identity).toConstantValue({ whoIs });`,
      `rebind(tokens.middleware).toConstantValue([(context, next) => {
        context.set('X-Own', context.state.call.route);
        return next();
      }]);`,
      `const { Counter, Registry } = await import('prom-client');
       const registry = new Registry();
       new Counter({ name: 'own_total', help: 'Own.', registers: [registry] }).inc(3);
       rebind(tokens.metrics).toConstantValue(registry);`,
    );
    const keys = ['own-KEY', 'own-KEY', 'x', 'x'];
    expect(await statuses(service, ...keys)).to.deep.equal([200, 429, 401, 429]);
    const { port, opsPort } = await service.event('listening');
    const path = '/public/v1/mirror/campaign/1/mirror';
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' });
    expect(headers.get('x-own'), 'the route').to.equal(path.replace('/1/', '/{campaign}/'));
    const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    expect(metrics).to.match(/^own_total 3$/m);
    expect(metrics).to.match(/^nodejs_version_info/m);
    await expectReadyWithoutDatabase(service);
  });

  const whoIs = '(credential) => store.whoIs(credential)';
  for (const [name, part, status] of [
    ['useCase', `{ identify: ${whoIs}, execute: async () => ({ kind: 'no-address' }) }`, 422],
    ['application', '{ callback: () => (request, response) => response.writeHead(418).end() }', 418],
  ] as const)
    it(`if it replaces the ${name}, the parts behind it are not made`, async () => {
      const service = running(noDatabase, `rebind(tokens.${name}).toConstantValue(${part});`);
      expect(await statuses(service, 'KEY')).to.deep.equal([status]);
      await expectReadyWithoutDatabase(service);
    });

  it('if a part does not fit, the service does not start, and names the part', async () => {
    const { code, errors } = await running(
      {},
      all,
      'rebind(tokens.useCase).toConstantValue({ identify() {} });',
    ).done();
    expect(code).to.equal(1);
    expect(errors).to.match(/^tokens\.useCase\.execute does not fit/m);
  });
});
