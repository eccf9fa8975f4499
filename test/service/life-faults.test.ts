import { expect } from 'chai';
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
});
