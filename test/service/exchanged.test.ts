import { expect } from 'chai';
import { projectFolder, type RunningProcess, start } from '../support/process/service-process.ts';

/** A port on which nothing listens. */
const nowhere = '127.0.0.1:1';

/** A program of somebody else, which runs the service with this module. It says the key of a campaign's owner. */
const program = (rebindings: string, ending: string) => `
  import { runService, tokens } from '@campaign-mirror/app';
  import { SetCampaignMirror } from '@campaign-mirror/domain';
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
  const yours = new ContainerModule(async ({ bind, rebind, rebindAsync, onActivation }) => { ${rebindings} });
  ${ending}`;

const rebind = {
  campaigns: 'rebind(tokens.campaignRepository).toConstantValue(store);',
  identity: 'rebind(tokens.identity).toConstantValue(store);',
  limiters: `rebind(tokens.callLimiter).toConstantValue(limiter);
    rebind(tokens.failedKeyLimiter).toConstantValue(limiter);`,
};

const running = (settings: Readonly<Record<string, string>>, ...rebindings: string[]) => {
  const ending = 'process.exit(await runService(process.env, { modules: [yours] }));';
  return started(settings, program(rebindings.join('\n'), ending));
};

const started = (settings: Readonly<Record<string, string>>, text: string) =>
  start(process.execPath, ['--input-type=module', '--eval', text], settings, `${projectFolder}packages/app`);

/** The statuses of calls with the owner's key, behind a `prefix`, and with one that is none. */
async function called(service: RunningProcess, keys: readonly ('own' | 'wrong')[], prefix = '') {
  const { port } = await service.event('listening');
  const { campaign, key } = JSON.parse(service.errors.split('\n')[0] ?? '');
  const statuses: number[] = [];
  for (const one of keys) {
    const authorization = `Bearer ${one === 'own' ? prefix + key : 'x'}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ mirror_endpoint: 'https://second.example/' });
    const url = `http://127.0.0.1:${port}/public/v1/mirror/campaign/${campaign}/mirror`;
    statuses.push((await fetch(url, { method: 'POST', headers, body })).status);
  }
  return statuses;
}

const events = (service: RunningProcess) => service.log.map(({ event }) => event);

describe('a service with parts of somebody else', () => {
  it('all of them: PostgreSQL is not asked for', async () => {
    const settings = { DATABASE_URL: `postgresql://nobody@${nowhere}/none` };
    const service = running(
      { ...settings, RATE_LIMIT: '5/1s', FAILED_KEY_LIMIT: '5/1s' },
      ...Object.values(rebind),
      // Its credentials have no form that the service knows.
      `const whoIs = (credential) => store.whoIs(credential.replace('own-', ''));
       rebind(tokens.identity).toConstantValue({ whoIs });`,
      `rebind(tokens.middleware).toConstantValue([(context, next) => {
        context.set('X-Own', context.state.call.route);
        return context.get('X-Silent') ? undefined : next();
      }]);`,
      `const { Counter, Registry } = await import('prom-client');
       const registry = new Registry();
       new Counter({ name: 'own_total', help: 'Own.', registers: [registry] }).inc(3);
       rebind(tokens.metrics).toConstantValue(registry);`,
    );
    const keys = ['own', 'own', 'wrong', 'wrong'] as const;
    expect(await called(service, keys, 'own-')).to.deep.equal([200, 429, 401, 429]);
    const { port, opsPort } = await service.event('listening');
    const path = '/public/v1/mirror/campaign/1/mirror';
    const asked = (headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers });
    expect((await asked()).headers.get('x-own'), 'the route').to.equal(path.replace('/1/', '/{campaign}/'));
    const silent = await asked({ 'X-Silent': '1' });
    const message = `The route ${path} could not be found.`;
    expect([silent.status, await silent.json()]).to.deep.equal([404, { message }]);
    const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    expect(metrics)
      .to.match(/^own_total 3$/m)
      .and.match(/^nodejs_version_info/m);
    expect(await service.stop()).to.include({ code: 0 });
    const expected = ['starting', 'listening', 'request', ...Array(2).fill('request-limited')];
    expect(events(service)).to.include.members(expected);
  });

  it('a use case that stands before the service’s own', async () => {
    const service = running(
      {},
      ...Object.values(rebind),
      `const own = new SetCampaignMirror(store, store);
       const identify = (credential) => own.identify(credential);
       const execute = (request) =>
         own.execute({ ...request, address: request.address.replace('second', 'tracked') });
       rebind(tokens.useCase).toConstantValue({ identify, execute });
       process.on('exit', () => console.error(store.mirrors.get(campaign).targetUrl));`,
    );
    expect(await called(service, ['own', 'wrong'])).to.deep.equal([200, 401]);
    expect(await service.stop()).to.include({ code: 0 });
    expect(service.errors).to.include('https://tracked.example/');
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

  for (const [how, act, event] of [
    ['never', 'return new Promise(() => {});', 'hung'],
    ['with an error', "throw new Error('not ended');", 'stop-failed'],
  ] as const)
    it(`a part of a module is ended with it; one that ends ${how} is logged`, async () => {
      const part = 'rebind(tokens.callLimiter).toDynamicValue(() => limiter)';
      const ending = `${part}.onDeactivation(() => { console.error('ending'); ${act} });`;
      const service = running({}, rebind.campaigns, rebind.identity, ending);
      expect(await called(service, ['own'])).to.deep.equal([200]);
      expect(service.errors).not.to.include('ending');
      expect(await service.stop()).to.include({ code: 1 });
      expect(service.errors).to.include('ending');
      expect(events(service).slice(-2)).to.deep.equal([event, 'stopped']);
    });

  for (const [name, part] of [
    [
      'useCase',
      '{ identify: (credential) => store.whoIs(credential), execute: async () => ({ kind: "no-address" }) }',
    ],
    ['application', '{ callback: () => (request, response) => response.writeHead(418).end() }'],
  ] as const)
    it(`${name} alone: what it takes the place of is not made, such as the database`, async () => {
      const none = { DATABASE_URL: `postgresql://nobody@${nowhere}/none` };
      const service = running(none, `rebind(tokens.${name}).toConstantValue(${part});`);
      expect(await called(service, ['own'])).to.deep.equal([name === 'useCase' ? 422 : 418]);
      const { opsPort } = await service.event('listening');
      const ready = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
      expect(await ready.json()).to.deep.equal({ status: 'ready', checks: { accepting: true } });
      expect(await service.stop()).to.include({ code: 0 });
    });

  it('parts that are decorated: repository, use case, application', async () => {
    const service = running(
      {},
      ...Object.values(rebind),
      `const said = (what) => console.error('through ' + what);
       onActivation(tokens.campaignRepository, (_, part) => ({
         find: (id) => part.find(id),
         setMirror: (...given) => (said('repository'), part.setMirror(...given)),
       }));
       onActivation(tokens.useCase, async (_, part) => ({
         identify: (credential) => part.identify(credential),
         execute: (request) => (said('useCase'), part.execute(request)),
       }));
       onActivation(tokens.application, (_, app) => {
         app.middleware.unshift((context, next) => (said('application'), next()));
         return app;
       });`,
    );
    expect(await called(service, ['own', 'wrong'])).to.deep.equal([200, 401]);
    expect(await service.stop()).to.include({ code: 0 });
    expect(service.errors.match(/(?<=through )\w+/g)).to.deep.equal([
      ...['application', 'useCase', 'repository', 'application'],
    ]);
  });

  it('a part that is never made does not keep the service from ending, and is named', async () => {
    const service = running(
      { LOG_LEVEL: 'debug' },
      ...Object.values(rebind),
      `rebind(tokens.identity).toDynamicValue(() => {
         console.error('begun');
         // As a connection would, the timer keeps the process alive.
         return new Promise(() => setInterval(() => {}, 60_000));
       });`,
    );
    await service.says(() => service.errors.includes('begun') || undefined);
    expect(await service.stop()).to.include({ code: 1 });
    const hung = service.log.find(({ event }) => event === 'hung');
    expect(hung?.missing).to.include('identity').and.not.include('campaignRepository');
  });

  it('one part in two places, by a redirection, whose own methods are as they were', async () => {
    const service = running(
      {},
      rebind.campaigns,
      `rebind(tokens.identity).toService(tokens.campaignRepository);`,
    );
    expect(await called(service, ['own', 'wrong'])).to.deep.equal([200, 401]);
    expect(await service.stop()).to.include({ code: 0 });
  });

  const never = '() => new Promise(() => {})';
  const hanging = {
    campaignRepository: `{ find: ${never}, setMirror: ${never} }`,
    identity: `{ whoIs: ${never} }`,
    useCase: `{ identify: ${never}, execute: ${never} }`,
    callLimiter: `{ ...limiter, count: ${never} }`,
    failedKeyLimiter: `{ ...limiter, count: ${never} }`,
    middleware: `[${never}]`,
    application: '{ callback: () => (request) => request.resume() }',
  };
  it('parts that never answer: 503 after the time of a statement, and a line that names the part', async () => {
    await Promise.all(
      Object.entries(hanging).map(async ([name, part]) => {
        const last = `rebind(tokens.${name}).toConstantValue(${part});`;
        const given = Object.values(rebind);
        const service = running({ STATEMENT_TIMEOUT: '1s', DOCS: 'off' }, ...given, last);
        const key = name === 'failedKeyLimiter' ? 'wrong' : 'own';
        expect(await called(service, [key]), name).to.deep.equal([503]);
        const { err } = await service.event('unavailable');
        expect(err, name)
          .to.have.property('message')
          .that.matches(new RegExp(`^(tokens\\.|the )${name} did not answer within \\d+ ms$`));
        expect(await service.stop()).to.include({ code: 0 });
      }),
    );
  });

  it('what a part does too late disturbs nobody; the time of the rest is not that of middleware', async () => {
    const late =
      "() => pause(2_500).then(() => { setImmediate(() => console.error('rejected')); throw new Error('late'); })";
    const service = running(
      { STATEMENT_TIMEOUT: '1s' },
      ...Object.values(rebind),
      `const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
       rebind(tokens.campaignRepository).toConstantValue({ find: ${late}, setMirror: ${late} });
       const slow = async (context, next) => { await pause(1_200); await next(); await pause(1_200); };
       rebind(tokens.middleware).toConstantValue([slow]);`,
    );
    expect(await called(service, ['own'])).to.deep.equal([503]);
    const { err } = await service.event('unavailable');
    expect(err)
      .to.have.property('message')
      .that.matches(/^tokens\.campaignRepository /);
    await service.says(() => service.errors.includes('rejected') || undefined);
    expect(await service.stop()).to.include({ code: 0 });
    expect(events(service)).not.to.include('failed');
  });

  const itself = 'tokens.identity is made of itself: decorate it with onActivation';
  const mistakes = {
    'bind(tokens.metrics).toConstantValue({})': 'tokens.metrics is bound twice: use rebind instead of bind',
    'bind(tokens.application).toConstantValue({})':
      'tokens.application is bound twice: use rebind instead of bind',
    'rebind(tokens.identity).toDynamicValue(async (context) => ({ ...(await context.getAsync(tokens.useCase)) }))':
      itself,
    '(await rebindAsync(tokens.identity)).toDynamicValue((context) => context.getAsync(tokens.identity))':
      itself,
    'bind(tokens.identity).toConstantValue(store)':
      'tokens.identity is bound twice: use rebind instead of bind',
    'rebind(tokens.identity).toDynamicValue(async (context) => ({ ...(await context.getAsync(tokens.identity)) }))':
      itself,
    'rebind(tokens.identity).toDynamicValue(async (context) => (await 0, context.getAsync(tokens.identity)))':
      itself,
    'rebind(tokens.identity).toDynamicValue((context) => ({ ...context.get(tokens.identity) }))': itself,
    'rebind(tokens.identity).toResolvedValue((identity) => ({ ...identity }), [tokens.identity])': itself,
  };
  for (const [mistake, sentence] of Object.entries(mistakes))
    it(`${mistake}: it does not start, and says why`, async () => {
      const { code, errors } = await running({}, rebind.campaigns, `${mistake};`).done();
      expect([code, errors.split('\n').slice(1)]).to.deep.equal([1, [sentence, '']]);
    });

  for (const stop of ['a promise', 'no promise'])
    it(`with ${stop} of when to stop: who decides what an uncaught error does`, async () => {
      const counted = "console.error('listeners', process.listenerCount('uncaughtException'));";
      const ending = `
        const { promise, resolve } = Promise.withResolvers();
        const stop = ${stop === 'a promise' ? 'promise' : 'undefined'};
        const onListening = () => {
          ${counted}
          if (stop) resolve('SIGTERM');
          else process.kill(process.pid, 'SIGTERM');
        };
        process.exit(await runService(process.env, { modules: [yours], stop, onListening }));`;
      const service = started({}, program(Object.values(rebind).join('\n'), ending));
      expect((await service.done()).code).to.equal(0);
      expect(service.errors).to.include(`listeners ${stop === 'a promise' ? 0 : 1}`);
    });

  const unfit = {
    campaignRepository: '{ find() {} }',
    identity: '{}',
    useCase: '{ identify() {} }',
    callLimiter: '{ count() {} }',
    failedKeyLimiter: '{ ...limiter, count: 1 }',
    middleware: '[1]',
    metrics: '{}',
    application: '{}',
    opsApplication: 'undefined',
  };
  const taken = `{ contentType: 'text/plain; version=0.0.4; charset=utf-8',
    getMetricsAsArray: () => [{ name: 'nodejs_version_info' }] }`;
  for (const [name, part] of [...Object.entries(unfit), ['metrics', taken], ['identities', '{}']])
    it(`${name} that does not fit, as ${part}: it does not start, and says so`, async () => {
      const last = `rebind(tokens.${name}).toConstantValue(${part});`;
      const { code, errors } = await running({}, ...Object.values(rebind), last).done();
      expect(code).to.equal(1);
      expect(errors).to.match(
        new RegExp(`^(tokens\\.${name}\\b.* does not fit:|a module binds a token other than) `, 'm'),
      );
    });
});
