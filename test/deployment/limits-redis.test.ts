import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { commandProcess } from '../support/commands/command.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { type RedisServer, redisServer } from '../support/deployment/redis-server.ts';
import { selfMadeCertificate } from '../support/deployment/tls-proxy.ts';
import { goodBody, pathOf } from '../support/http/request.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { endAll, eventsOf, type Listening, listeningService } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';

describe('limits that several machines count in Redis', () => {
  const data = serviceDataOf('suite');
  const folder = folderOf('suite');
  let redis: RedisServer;
  afterEach(endAll);

  const settings = (more: Record<string, string> = {}) => ({
    ...data.settings(),
    ...{ RATE_LIMIT: '7/1m', FAILED_KEY_LIMIT: '3/1m', REDIS_URL: `redis://127.0.0.1:${redis.port}/1` },
    ...more,
  });
  const ask = ({ base }: Listening, key: string = data.key) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return fetch(base + pathOf(Number(data.campaigns[0])), { method: 'POST', headers, body: goodBody });
  };
  /** Until it is counted again. */
  const counted = (service: Listening) =>
    eventually('an answer that is counted', async () => {
      const answer = await ask(service);
      expect(Object.fromEntries(answer.headers)).to.include.keys('x-ratelimit-limit');
      return answer;
    });
  /** Asks until a line of the log says why it is not counted. */
  const uncounted = (service: Listening, why: string) =>
    eventually(`a line with ${why}`, async () => {
      await ask(service);
      expect(JSON.stringify(eventsOf(service.process, 'uncounted'))).to.include(why);
    });

  it('two services count together; what is kept ends with the window', async () => {
    redis = await redisServer();
    const cli = (...words: string[]) =>
      execFileSync(program('redis-cli'), ['-p', `${redis.port}`, '-n', '1', ...words], { encoding: 'utf8' });
    const services = [await listeningService(settings()), await listeningService(settings())] as const;
    const statuses = async (key?: string) => {
      const asking = Array.from({ length: 20 }, (_, at) => ask(services[at % 2 === 0 ? 0 : 1], key));
      return (await Promise.all(asking)).map(({ status }) => status).sort();
    };
    for (const service of services) await counted(service);
    cli('flushall');
    expect(await statuses()).to.deep.equal([...Array(7).fill(200), ...Array(13).fill(429)]);
    expect(await statuses('cm_nothing')).to.deep.equal([...Array(3).fill(401), ...Array(17).fill(429)]);
    const kept = cli('keys', '*').trim().split('\n').sort();
    const failed = 'campaign-mirror:failed-keys:3/60:127.0.0.1';
    expect(kept).to.deep.equal([failed, 'campaign-mirror:key:7/60:key:1']);
    for (const name of kept) expect(Number(cli('ttl', name))).to.be.within(1, 60);
    for (const { process } of services) expect((await process.stop()).code).to.equal(0);
  });

  it('Redis that is away or stuck is not waited for, nor at the start, and counts when it is there', async () => {
    redis = await redisServer();
    const stop = () => redis.process.stop('SIGKILL');
    await stop();
    const service = await listeningService(settings({ RATE_LIMIT: '1000/1m' }));
    await uncounted(service, 'ECONNREFUSED');
    expect(eventsOf(service.process, 'uncounted')[0]).to.include({ limit: 'key' });
    await redis.startAgain();
    expect((await counted(service)).headers.get('x-ratelimit-remaining')).to.equal('999');
    for (const [begin, end] of [
      [stop, () => redis.startAgain()],
      [() => redis.process.child.kill('SIGSTOP'), () => redis.process.child.kill('SIGCONT')],
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
    expect((await service.process.stop()).code).to.equal(0);
  });

  it('a connection that leads to a replica after a failover is made anew, and doctor does not call a replica ok', async () => {
    redis = await redisServer();
    const target = { host: '127.0.0.1', port: redis.port };
    const address = await tcpProxy(target);
    const service = await listeningService(settings({ REDIS_URL: `redis://127.0.0.1:${address.port}` }));
    await counted(service);
    execFileSync(program('redis-cli'), ['-p', `${redis.port}`, 'replicaof', '127.0.0.1', '1']);
    const { code, output } = await commandProcess(['doctor'], settings());
    expect(code).to.equal(1);
    expect(output).to.match(/^problem {2}redis .*READONLY.* name one that takes writes in REDIS_URL/ms);
    target.port = (await redisServer()).port;
    await uncounted(service, 'READONLY');
    await counted(service);
    await service.process.stop();
    await address.close();
  });

  it('by TLS, as a user with few rights; no password is shown', async () => {
    const { certificate, key } = selfMadeCertificate(folder.path, 'localhost');
    const user =
      'limits on >MARKED resetchannels ~campaign-mirror:* -@all +ping +select +client|setname +eval +evalsha +set +incrby +pttl +expire';
    redis = await redisServer((port) => [
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', certificate, '--tls-key-file', key],
      ...['--user', ...user.split(' ')],
    ]);
    const of = (password: string, NODE_EXTRA_CA_CERTS = certificate) =>
      settings({ REDIS_URL: `rediss://limits:${password}@localhost:${redis.port}/1`, NODE_EXTRA_CA_CERTS });
    expect((await counted(await listeningService(of('MARKED')))).status).to.equal(200);
    for (const [refused, why] of [
      [of('MARKED2'), 'WRONGPASS'],
      [of('MARKED', ''), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ] as const) {
      const service = await listeningService(refused);
      await uncounted(service, why);
      expect(service.process.output + service.process.errors).not.to.include('MARKED');
    }
    const { output } = await commandProcess(['doctor'], of('MARKED'));
    expect(output).to.match(new RegExp(`^ok {7}redis {7}localhost:${redis.port}/1: it counts$`, 'm'));
    const refused = await commandProcess(['doctor'], of('MARKED2'));
    expect(refused.code).to.equal(1);
    expect(refused.output).to.match(/^problem {2}redis {7}.*WRONGPASS/m);
    expect(refused.output + refused.errors + output).not.to.include('MARKED');
  });
});
