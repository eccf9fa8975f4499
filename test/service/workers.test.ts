import { Agent } from 'node:http';
import { expect } from 'chai';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import {
  ended,
  eventsOf,
  listeningFleet,
  lives,
  times,
  timesAfterItsEnd,
} from '../support/process/primary-process.ts';
import type { Listening } from '../support/process/service-process.ts';

describe('contract: life — a service of several processes', () => {
  const data = serviceDataOf('test', { campaigns: 4 });
  const campaigns = ({ base }: Listening) =>
    data.campaigns.map((campaign) => ({ base, campaign, key: data.key }));
  const lock = 'select from campaign_mirror.mirrors where campaign_id = $1 for update';
  const statuses = (answers: readonly { status: number | undefined }[]) => [
    ...new Set(answers.map(({ status }) => status)),
  ];
  async function readiness({ ops }: Listening) {
    const answer = await fetch(`${ops}/readyz`);
    return [answer.status, ((await answer.json()) as { checks: Record<string, boolean> }).checks] as const;
  }

  it('all serve on one port, SIGTERM under load: every accepted request is answered, exit code 0', async () => {
    const service = await listeningFleet(data.settings());
    const callers = load(campaigns(service), 16);
    await callers.first;
    await callers.after(200);
    expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
    const answered = (await callers.stop()).filter(({ status }) => status !== undefined);
    expect(statuses(answered)).to.deep.equal([200]);
    expect(new Set(await data.recorded())).to.deep.equal(new Set(answered.map(({ requestId }) => requestId)));
    const byWorker = new Set(eventsOf(service.process, 'request').map(({ worker }) => worker));
    expect(byWorker).to.deep.equal(new Set(service.workers().map(({ worker }) => worker)));
    expect(byWorker.size).to.equal(2);
    for (const { pid } of service.workers()) expect(lives(pid)).to.equal(false);
  });

  it('SIGHUP under load: new processes, and every accepted request is answered with 200', async () => {
    const service = await listeningFleet(data.settings());
    const kept = load(campaigns(service), 4);
    const anew = connectingAnew(data.one(service), 2);
    await kept.first;
    service.process.child.kill('SIGHUP');
    await service.process.event('restarting');
    // The one that comes in the middle of it has all replaced once more.
    service.process.child.kill('SIGHUP');
    await times(service.process, 'restarted', 2);
    // A request that meets the end of an idle connection is not accepted.
    const answers = [...(await kept.stop()), ...(await anew())].filter(({ status }) => status !== undefined);
    expect(statuses(answers)).to.deep.equal([200]);
    expect(await data.recorded()).to.have.members(answers.map(({ requestId }) => requestId));
    const pids = service.workers().map(({ pid }) => pid);
    expect(pids.map(lives)).to.deep.equal([false, false, false, false, true, true]);
    expect((await service.process.stop()).code).to.equal(0);
  });

  it('a worker that is killed is replaced, the others serve on', async () => {
    const service = await listeningFleet(data.settings());
    const [first] = service.workers();
    process.kill(Number(first?.pid), 'SIGKILL');
    expect(await service.process.event('worker-lost')).to.include({ lost: first?.worker, signal: 'SIGKILL' });
    expect((await readiness(service))[0]).to.equal(200);
    expect((await call(data.one(service))).status).to.equal(200);
    await service.process.event('worker-replaced');
    await times(service.process, 'worker-listening', 3);
    expect((await service.process.stop()).code, 'a crash before the end is none of it').to.equal(0);
  });

  it('a worker that is killed under load: no connection that it was being given waits for ever', async () => {
    const service = await listeningFleet(data.settings());
    const [one] = data.updates(service.base);
    let served = 0;
    let over = false;
    const reached = Promise.withResolvers<void>();
    // Each call comes by a connection of its own, so that there always is one on its way to a worker.
    const caller = async () => {
      while (one && !over)
        if ((await call(one, new Agent())).status === 200 && ++served > 200) reached.resolve();
    };
    const callers = Promise.all(Array.from({ length: 24 }, caller));
    await reached.promise;
    process.kill(Number(service.workers()[0]?.pid), 'SIGKILL');
    await times(service.process, 'worker-listening', 3);
    over = true;
    await callers;
  });

  it('without a worker it is not ready, until they are back on the same port', async () => {
    const service = await listeningFleet(data.settings());
    for (const { pid } of service.workers()) process.kill(Number(pid), 'SIGKILL');
    await times(service.process, 'worker-lost', 2);
    const [status, checks] = await readiness(service);
    expect([status, checks.workers]).to.deep.equal([503, false]);
    await times(service.process, 'worker-replaced', 2);
    expect((await readiness(service))[0]).to.equal(200);
    expect((await call(data.one(service))).status).to.equal(200);
  });

  it('kill -9 of the primary: what is under way is answered, then the workers end by themselves', async () => {
    const service = await listeningFleet(data.settings());
    const { slow, holder } = await data.slow(service);
    service.process.child.kill('SIGKILL');
    await timesAfterItsEnd(service.process, 'stopping', 2);
    await holder.rollback();
    expect((await slow).status).to.equal(200);
    for (const { pid } of service.workers()) await ended(pid);
  });

  it('what hangs in a worker is named, gets 503, and the exit code is 1', async () => {
    const service = await listeningFleet(data.settings({ SHUTDOWN_TIMEOUT: '50ms' }));
    const { slow, holder } = await data.slow(service, { requestId: 'slow-one' });
    service.process.child.kill('SIGTERM');
    expect((await slow).status).to.equal(503);
    expect((await service.process.ended).code).to.equal(1);
    const [hung] = eventsOf(service.process, 'hung');
    expect(hung).to.include({ part: 'http', requestId: 'slow-one', method: 'POST' });
    await holder.rollback();
  });

  it('a second signal, a second or more later, ends all of them at once', async () => {
    const patient = { SHUTDOWN_TIMEOUT: '10m', STATEMENT_TIMEOUT: '30s', QUERY_TIMEOUT: '60s' };
    const service = await listeningFleet(data.settings(patient));
    const { slow, holder } = await data.slow(service);
    service.process.child.kill('SIGTERM');
    await times(service.process, 'stopping', 3);
    const again = setInterval(() => service.process.child.kill('SIGTERM'), 100);
    expect((await service.process.ended).code).to.equal(143);
    clearInterval(again);
    for (const { pid } of service.workers()) await ended(pid);
    expect((await slow).status).to.equal(undefined);
    await holder.rollback();
  });

  it('POOL_SIZE holds for all workers together', async () => {
    const service = await listeningFleet(data.settings({ POOL_SIZE: '6' }));
    // Held campaigns take connections, as many as they may.
    const holder = await rival(data.database);
    for (const campaign of data.campaigns) await holder.run(lock, campaign);
    const callers = load(campaigns(service), 32);
    await untilWaiting(data.database, callers.stop(), 2);
    await holder.rollback();
    const answers = await callers.stop();
    const { rows } = await data.database.admin.query(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name = 'campaign-mirror'`,
    );
    expect(statuses(answers)).to.deep.equal([200]);
    // Those that are idle again are kept for a while. A third is for the worker more that a rolling restart has.
    expect(rows[0].count).to.be.within(2, 4);
  });

  it('SIGUSR2 reaches all of them, and those who come later', async () => {
    const service = await listeningFleet(data.settings());
    service.process.child.kill('SIGUSR2');
    await times(service.process, 'log-level-changed', 3);
    process.kill(Number(service.workers()[0]?.pid), 'SIGKILL');
    await service.process.event('worker-replaced');
    const changed = await times(service.process, 'log-level-changed', 4);
    expect(new Set(changed.map(({ pid }) => pid)).size).to.equal(4);
  });

  it('their lines come out whole, also when the log is read late', async () => {
    const service = await listeningFleet(data.settings());
    const { stdout } = service.process.child;
    stdout?.pause();
    const callers = load(campaigns(service), 16);
    await callers.first;
    await callers.after(1_500);
    const answers = await callers.stop();
    stdout?.resume();
    expect((await service.process.stop()).code).to.equal(0);
    const logged = eventsOf(service.process, 'request').map(({ requestId }) => requestId);
    expect(logged).to.have.members(answers.map(({ requestId }) => requestId));
  });
});

/** Callers that take a new connection for each request; the function that is given back stops them. */
function connectingAnew(one: Parameters<typeof call>[0], callers: number) {
  let stopped = false;
  const agent = new Agent();
  const calling = Promise.all(
    Array.from({ length: callers }, async () => {
      const answers: Awaited<ReturnType<typeof call>>[] = [];
      while (!stopped) {
        const answer = await call(one, agent);
        answers.push(answer);
        // Where nobody listens any more, it is not asked for ever.
        if (answer.status === undefined) break;
      }
      return answers;
    }),
  );
  return async () => {
    stopped = true;
    return (await calling).flat();
  };
}
