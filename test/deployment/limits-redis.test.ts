import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandProcess } from '../support/commands/command.ts';
import { selfMadeCertificate } from '../support/deployment/certificate.ts';
import { RedisServer } from '../support/deployment/redis-server.ts';
import { eventually } from '../support/eventually.ts';
import { pathOf } from '../support/http/request.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { endAll, type Listening, listeningService } from '../support/process/service-process.ts';

describe('limits that several machines count in Redis', () => {
  const data = serviceDataOf('suite');
  let redis: RedisServer;
  afterEach(async () => {
    await endAll();
    await redis.remove();
  });

  const settings = (more: Record<string, string> = {}) => ({
    ...data.settings(),
    RATE_LIMIT: '7/1m',
    FAILED_KEY_LIMIT: '3/1m',
    REDIS_URL: `redis://127.0.0.1:${redis.port}/1`,
    ...more,
  });
  const ask = ({ base }: Listening, key: string = data.key) =>
    fetch(base + pathOf(Number(data.campaigns[0])), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"mirror_endpoint":"https://second.example/"}',
    });
  async function statuses(services: readonly Listening[], key?: string) {
    const asking = Array.from({ length: 20 }, (_, at) =>
      ask(services[at % services.length] as Listening, key),
    );
    const found: Record<number, number> = {};
    for (const { status } of await Promise.all(asking)) found[status] = (found[status] ?? 0) + 1;
    return found;
  }
  /** Until it is counted again, or its time is over. */
  async function counted(service: Listening): Promise<Response> {
    return eventually('an answer that is counted', async () => {
      const answer = await ask(service);
      expect(Object.fromEntries(answer.headers)).to.include.keys('x-ratelimit-limit');
      return answer;
    });
  }

  /** Asks until a line of the log says why it is not counted. */
  async function told(service: Listening, why: string): Promise<void> {
    await eventually(`a line with ${why}`, async () => {
      await ask(service);
      const lines = service.process.log.filter(({ event }) => event === 'uncounted');
      expect(JSON.stringify(lines)).to.include(why);
    });
  }

  it('two services count together; what is kept ends with the window', async () => {
    redis = await RedisServer.start();
    const both = [await listeningService(settings()), await listeningService(settings())];
    for (const service of both) await counted(service);
    await redis.ask('flushall');
    expect(await statuses(both)).to.deep.equal({ 200: 7, 429: 13 });
    expect(await statuses(both, 'cm_nothing')).to.deep.equal({ 401: 3, 429: 17 });
    const kept = (await redis.ask('-n', '1', 'keys', '*')).split('\n').sort();
    expect(kept).to.deep.equal([
      'campaign-mirror:failed-keys:3/60:127.0.0.1',
      'campaign-mirror:key:7/60:key:1',
    ]);
    for (const name of kept) expect(Number(await redis.ask('-n', '1', 'ttl', name))).to.be.within(1, 60);
    for (const { process } of both) expect((await process.stop()).code).to.equal(0);
  });

  it('Redis that is away or stuck is not waited for, and counts again when it is back', async () => {
    redis = await RedisServer.start();
    const service = await listeningService(settings({ RATE_LIMIT: '1000/1m' }));
    await counted(service);
    for (const [begin, end] of [
      [() => redis.stop(), () => redis.startAgain()],
      [() => redis.freeze(), () => redis.thaw()],
    ] as const) {
      await begin();
      for (let number = 0; number < 5; number++) {
        const passed = await ask(service);
        expect([passed.status, passed.headers.has('x-ratelimit-limit')]).to.deep.equal([200, false]);
        expect((await ask(service, 'cm_nothing')).status).to.equal(401);
      }
      await end();
      expect((await counted(service)).status).to.equal(200);
    }
    const [first] = service.process.log.filter(({ event }) => event === 'uncounted');
    expect(first).to.include({ limit: 'key' });
    expect((await service.process.stop()).code).to.equal(0);
  });

  it('a service starts without it', async () => {
    redis = await RedisServer.start();
    await redis.stop();
    const service = await listeningService(settings());
    expect((await ask(service)).status).to.equal(200);
    await told(service, 'ECONNREFUSED');
    await redis.startAgain();
    expect((await counted(service)).headers.get('x-ratelimit-remaining')).to.equal('6');
  });

  it('by TLS, as a user with few rights; no password is shown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-redis-tls-'));
    const { certificate, key } = await selfMadeCertificate(folder, 'localhost');
    const user =
      'user limits on >MARKED resetchannels ~campaign-mirror:* -@all +ping +select +client|setname +eval +evalsha +set +incrby +pttl +expire';
    redis = await RedisServer.start((port) => [
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', certificate, '--tls-key-file', key],
      ...['--user', ...user.split(' ').slice(1)],
    ]);
    const REDIS_URL = (password: string) => `rediss://limits:${password}@localhost:${redis.port}/1`;
    const right = { REDIS_URL: REDIS_URL('MARKED'), NODE_EXTRA_CA_CERTS: certificate };
    const wrong = { REDIS_URL: REDIS_URL('MARKED2'), NODE_EXTRA_CA_CERTS: certificate };
    const trusting = await listeningService(settings(right));
    expect((await counted(trusting)).status).to.equal(200);
    for (const [refused, why] of [
      [wrong, 'WRONGPASS'],
      [{ ...right, NODE_EXTRA_CA_CERTS: '' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ] as const) {
      const service = await listeningService(settings(refused));
      await told(service, why);
      expect(service.process.output + service.process.errors).not.to.include('MARKED');
    }
    const { output } = await commandProcess(['doctor'], settings(right));
    expect(output).to.match(new RegExp(`^ok {7}redis {7}localhost:${redis.port}/1: it answers$`, 'm'));
    const refused = await commandProcess(['doctor'], settings(wrong));
    expect(refused.code).to.equal(1);
    expect(refused.output).to.match(/^problem {2}redis {7}.*WRONGPASS/m);
    expect(refused.output + refused.errors + output).not.to.include('MARKED');
    await rm(folder, { recursive: true, force: true });
  });
});
