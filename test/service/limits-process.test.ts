import { expect } from 'chai';
import { call, keepAlive } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import {
  endAll,
  eventsOf,
  type Listening,
  listeningService,
  start,
} from '../support/process/service-process.ts';

const perMinute = (most: number) => `${most}/1m`;

describe('limits of a process', () => {
  const data = serviceDataOf('suite');
  afterEach(endAll);

  const ask = (service: Listening, key: string = data.key, agent = keepAlive()) =>
    call(data.one(service, { key }), agent);
  async function statuses(asking: Promise<{ status: number | undefined }>[]) {
    const found: Record<string, number> = {};
    for (const { status } of await Promise.all(asking))
      found[String(status)] = (found[String(status)] ?? 0) + 1;
    return found;
  }
  const times20 = (one: () => ReturnType<typeof ask>) => statuses(Array.from({ length: 20 }, one));

  it('none for keys by default, and a generous one for addresses with wrong keys', async () => {
    const service = await listeningService(data.settings({ FAILED_KEY_LIMIT: '' }));
    expect(await times20(() => ask(service))).to.deep.equal({ 200: 20 });
    expect(await times20(() => ask(service, 'cm_nothing'))).to.deep.equal({ 401: 20 });
  });

  it('one process counts in its memory', async () => {
    const service = await listeningService(
      data.settings({ RATE_LIMIT: perMinute(7), FAILED_KEY_LIMIT: perMinute(3) }),
    );
    expect(await times20(() => ask(service))).to.deep.equal({ 200: 7, 429: 13 });
    expect(await times20(() => ask(service, 'cm_nothing'))).to.deep.equal({ 401: 3, 429: 17 });
    await service.process.stop();
    const limited = eventsOf(service.process, 'request-limited').map(({ because }) => because);
    expect(limited.filter((because) => because === 'rate')).to.have.length(13);
    expect(limited.filter((because) => because === 'failed-keys')).to.have.length(17);
  });

  it('what is not needed for the limits that are set is not loaded', async () => {
    const parts = 'await import("./packages/app/src/service/service.ts");';
    const open = 'const { openLimits } = await import("./packages/app/src/http/limiters.ts");';
    const list = 'Object.keys((await import("node:module")).default._cache).join(" ")';
    const loaded = async (limit: string) => {
      const code = `${parts} ${open} await openLimits({ ${limit} }); console.log(${list})`;
      const run = start(process.execPath, ['--input-type=module', '--eval', code], {});
      expect((await run.ended).code, run.errors).to.equal(0);
      return ['rate-limiter-flexible', 'ioredis'].filter((name) => run.output.includes(`/${name}/`));
    };
    expect(await loaded('')).to.deep.equal([]);
    expect(await loaded('FAILED_KEY_LIMIT: { limit: 1, seconds: 1 }')).to.deep.equal([
      'rate-limiter-flexible',
    ]);
  });
});
