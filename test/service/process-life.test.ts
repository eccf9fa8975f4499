import { expect } from 'chai';
import { rival } from '../support/database/rival.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { eventsOf, listeningService, startService } from '../support/process/service-process.ts';

describe('contract: life: a process that ends answers the requests that it accepted', () => {
  const data = serviceDataOf('test', { campaigns: 4 });
  const serving = (more: Record<string, string> = {}) => listeningService(data.settings(more));

  it('SIGTERM under load: every accepted request is answered, and the exit code is 0', async () => {
    const service = await serving();
    const callers = load(data.updates(service.base), 16);
    await callers.after(1);
    expect(await service.process.stop()).to.deep.equal({ code: 0, signal: null });
    const answered = (await callers.stop()).filter(({ status }) => status !== undefined);
    expect(new Set(answered.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(await data.recorded()).to.have.members(answered.map(({ requestId }) => requestId));
  });

  it('SIGHUP with SHUTDOWN_DELAY: /readyz is 503, and new connections are served', async () => {
    const service = await serving({ SHUTDOWN_DELAY: '60m' });
    service.process.child.kill('SIGHUP');
    await service.process.event('stopping');
    expect((await fetch(`${service.ops}/readyz`)).status).to.equal(503);
    expect((await call(data.one(service))).status).to.equal(200);
    expect((await fetch(`${service.ops}/livez`)).status).to.equal(200);
  });

  it('a second signal within a second is ignored, and a later one ends the process at once', async () => {
    const service = await serving({ SHUTDOWN_TIMEOUT: '10m' });
    const { slow, holder } = await data.slow(service);
    for (let times = 0; times < 2; times++) service.process.child.kill('SIGTERM');
    await service.process.event('stopping');
    expect((await fetch(`${service.ops}/livez`)).status, 'after two signals').to.equal(200);
    const again = setInterval(() => service.process.child.kill('SIGTERM'), 100);
    const { signal } = await service.process.ended;
    clearInterval(again);
    await holder.rollback();
    expect(signal).to.equal('SIGTERM');
    expect((await slow).status).to.equal(undefined);
  });

  it('SIGINT during a start that waits: the process ends at once, and the exit code is 0', async () => {
    const holder = await rival(data.database, 'select pg_advisory_xact_lock(7236110421)');
    const away = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none', DATABASE_WAIT: '60m' };
    for (const [event, settings] of [
      ['migration-awaited', { DATABASE_URL: data.database.url('owner') }],
      ['database-awaited', { ...away, SHUTDOWN_DELAY: '60m' }],
    ] as const) {
      const process = startService(settings);
      await process.event(event);
      expect((await process.stop('SIGINT')).code).to.equal(0);
      const events = process.log.map((line) => line.event);
      expect(events).to.include('stopped').and.not.to.include('listening');
    }
    await holder.rollback();
  });

  it('an uncaught error: it is logged, requests in progress are answered, and the exit code is 1', async () => {
    const fault = "process.on('SIGWINCH',()=>{Promise.reject(new RangeError('planted'))})";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`;
    const service = await serving({ NODE_OPTIONS, SHUTDOWN_DELAY: '60m' });
    const { slow, holder } = await data.slow(service);
    service.process.child.kill('SIGWINCH');
    const { err } = (await service.process.event('failed')) as { err?: Record<string, string> };
    expect(err).to.include({ type: 'RangeError', message: 'planted' });
    expect(err?.stack).to.match(/^\s+at /);
    await holder.rollback();
    expect((await slow).status).to.equal(200);
    expect((await service.process.ended).code).to.equal(1);
  });

  it('requests that are unfinished at SHUTDOWN_TIMEOUT get 503, and the exit code is 1', async () => {
    const service = await serving({ SHUTDOWN_TIMEOUT: '50ms' });
    const { slow, holder } = await data.slow(service);
    service.process.child.kill('SIGTERM');
    expect(await slow).to.include({ status: 503, body: '{"message":"Service Unavailable"}' });
    expect((await service.process.ended).code).to.equal(1);
    const hung = eventsOf(service.process, 'hung').map(({ part, unfinished }) => [part, unfinished]);
    expect(hung).to.deep.include(['http', 1]);
    await holder.rollback();
  });
});
