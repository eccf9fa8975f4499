import { expect } from 'chai';
import { logTo } from '../../packages/app/src/logging/log.ts';
import { Life } from '../../packages/app/src/process/life.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { eventsOf, listeningService } from '../support/process/service-process.ts';

describe('contract: life — faults, and what hangs at the end', () => {
  const data = serviceDataOf('test');

  /** A service that does this besides, as if it were a fault of ours, once it has a request under way. */
  async function faulty(act: string, more: Record<string, string>) {
    const planted = `process.on('SIGWINCH',()=>{${encodeURIComponent(act)}})`;
    const NODE_OPTIONS = `--import=data:text/javascript,${planted}`;
    const { process, ...where } = await listeningService(data.settings({ NODE_OPTIONS, ...more }));
    const { slow, holder } = await data.slow(where);
    process.child.kill('SIGWINCH');
    return { process, slow, holder };
  }

  it('an unhandled rejection is logged with its stack, what is under way is answered, exit code 1', async () => {
    const act = "Promise.reject(new RangeError('planted'))";
    const { process, slow, holder } = await faulty(act, { SHUTDOWN_DELAY: '60m' });
    const { err } = (await process.event('failed')) as { err?: Record<string, string> };
    expect(err).to.include({ type: 'RangeError', message: 'planted' });
    expect(err?.stack).to.match(/^\s+at /);
    await holder.rollback();
    expect((await slow).status).to.equal(200);
    expect((await process.ended).code).to.equal(1);
    expect(eventsOf(process, 'stopped')).to.have.length(1);
  });

  it('an error that comes again and again ends it once, and does not fill the log', async () => {
    const act = "setInterval(()=>{throw new RangeError('planted')})";
    const { process, slow, holder } = await faulty(act, { SHUTDOWN_TIMEOUT: '200ms' });
    expect((await slow).status).to.equal(503);
    expect((await process.ended).code).to.equal(1);
    expect(eventsOf(process, 'failed')).to.have.length(1);
    await holder.rollback();
  });

  it('what is left at SHUTDOWN_TIMEOUT is reported: requests, pool; exit code 1', async () => {
    const service = await listeningService(data.settings({ SHUTDOWN_TIMEOUT: '50ms' }));
    const { slow, holder } = await data.slow(service, { requestId: 'slow-one' });
    service.process.child.kill('SIGTERM');
    expect(await slow).to.include({ status: 503, body: '{"message":"Service Unavailable"}' });
    expect((await service.process.ended).code).to.equal(1);
    const hung = eventsOf(service.process, 'hung').map(({ part, unfinished }) => [part, unfinished]);
    expect(hung).to.deep.equal([
      ['http', 1],
      ['database pool', undefined],
    ]);
    const [request] = eventsOf(service.process, 'request');
    const route = '/public/v1/mirror/campaign/{campaign}/mirror';
    expect(request).to.include({ requestId: 'slow-one', status: 503, method: 'POST', route });
    expect(request?.milliseconds).to.be.at.least(50);
    await holder.rollback();
  });

  it('a database that no longer answers does not hold up the end: what hangs is named, exit code 1', async () => {
    const proxy = await tcpProxy(data.database.address('service'));
    const through = { hostname: '127.0.0.1', port: String(proxy.port) };
    const url = Object.assign(new URL(data.database.url('service')), through);
    const service = await listeningService(data.settings({ DATABASE_URL: url.href }));
    // When its key was used is written a second later.
    expect((await call(data.one(service))).status).to.equal(200);
    proxy.freeze();
    expect((await service.process.stop()).code).to.equal(1);
    const parts = eventsOf(service.process, 'hung').map(({ part }) => part);
    expect(parts).to.include.members(['key uses', 'database pool']);
    await proxy.close();
  });

  it('the parts end one after the other, the last first; one that hangs or fails keeps none of them', async () => {
    let output = '';
    const life = new Life(logTo({ write: (line) => (output += line) }, 'info'));
    const ended: string[] = [];
    life.atEnd('database', () => ended.push('database'), 60_000);
    life.atEnd('broken', () => Promise.reject(new Error('broken')), 60_000);
    life.atEnd('stuck', () => new Promise(() => {}), 20);
    life.atEnd('http', () => ended.push('http'), 60_000);
    await life.endParts();
    expect(ended).to.deep.equal(['http', 'database']);
    expect(life.exitCode).to.equal(1);
    const [stuck, broken, ...others] = objectsOf(output);
    expect(stuck).to.include({ event: 'hung', part: 'stuck', msg: 'stuck did not end within 20 ms' });
    expect(broken).to.include({ event: 'stop-failed', part: 'broken' });
    expect(others).to.deep.equal([]);
  });
});
