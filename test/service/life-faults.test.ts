import { expect } from 'chai';
import { serverAddress } from '../support/database/database-server.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { nodeOptions } from '../support/process/node-options.ts';
import {
  eventsOf,
  listeningService,
  projectFolder,
  startService,
  times,
} from '../support/process/service-process.ts';
import { inTerminal } from '../support/process/terminal.ts';

/** What a process does besides, as if it were a fault of ours: on SIGWINCH. */
const onWinch = (act: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,process.on('SIGWINCH',()=>{${encodeURIComponent(act)}})`,
});

describe('contract: life — faults, and what hangs at the end', () => {
  const data = serviceDataOf('test');
  const faults = {
    'an uncaught error': "setTimeout(()=>{throw new RangeError('planted')})",
    'an unhandled rejection': "Promise.reject(new RangeError('planted'))",
  };
  for (const [name, act] of Object.entries(faults)) {
    it(`${name} is logged with its stack, what is under way is answered, exit code 1`, async () => {
      const service = await listeningService(data.settings({ ...onWinch(act), SHUTDOWN_DELAY: '60m' }));
      const { slow, holder } = await data.slow(service);
      service.process.child.kill('SIGWINCH');
      const { err } = (await service.process.event('failed')) as { err?: Record<string, string> };
      expect(err).to.include({ type: 'RangeError', message: 'planted' });
      expect(err?.stack).to.match(/^\s+at /);
      await holder.rollback();
      expect((await slow).status).to.equal(200);
      expect((await service.process.ended).code).to.equal(1);
      expect(eventsOf(service.process, 'stopped')).to.have.length(1);
    });
  }

  it('an error that comes again and again ends it once, and does not fill the log', async () => {
    const act = "setInterval(()=>{throw new RangeError('planted')})";
    const service = await listeningService(data.settings({ ...onWinch(act), SHUTDOWN_TIMEOUT: '200ms' }));
    const { slow, holder } = await data.slow(service);
    service.process.child.kill('SIGWINCH');
    expect((await slow).status).to.equal(503);
    expect((await service.process.ended).code).to.equal(1);
    expect(eventsOf(service.process, 'failed').length).to.be.within(2, 10);
    await holder.rollback();
  });

  it('what is left at SHUTDOWN_TIMEOUT is named: request, pool; exit code 1', async () => {
    const service = await listeningService(data.settings({ SHUTDOWN_TIMEOUT: '50ms' }));
    const { slow, holder } = await data.slow(service, { requestId: 'slow-one' });
    service.process.child.kill('SIGTERM');
    expect(await slow).to.include({ status: 503, body: '{"message":"Service Unavailable"}' });
    expect((await service.process.ended).code).to.equal(1);
    const [request, ...others] = eventsOf(service.process, 'hung');
    expect(request).to.include({
      part: 'http',
      requestId: 'slow-one',
      method: 'POST',
      route: '/public/v1/mirror/campaign/{campaign}/mirror',
    });
    expect(request?.milliseconds).to.be.at.least(50);
    expect(others.map(({ part }) => part)).to.deep.equal(['database pool']);
    await holder.rollback();
  });

  it('a database that no longer answers does not hold up the end: what hangs is named, exit code 1', async () => {
    const proxy = await tcpProxy(serverAddress());
    const url = new URL(data.database.url('service'));
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const service = await listeningService(data.settings({ DATABASE_URL: url.href }));
    // When its key was used is written a second later.
    expect((await call(data.one(service))).status).to.equal(200);
    proxy.freeze();
    expect((await service.process.stop()).code).to.equal(1);
    const parts = eventsOf(service.process, 'hung').map(({ part }) => part);
    expect(parts).to.include('key uses').and.to.include('database pool');
    await proxy.close();
  });

  it('SHUTDOWN_DELAY: new connections are served while /readyz says 503', async () => {
    const service = await listeningService(data.settings({ SHUTDOWN_DELAY: '60m' }));
    service.process.child.kill('SIGTERM');
    await service.process.event('stopping');
    expect((await fetch(`${service.ops}/readyz`)).status).to.equal(503);
    expect((await call(data.one(service))).status).to.equal(200);
    expect((await fetch(`${service.ops}/livez`)).status).to.equal(200);
  });

  it('SHUTDOWN_DELAY: then it ends', async () => {
    const service = await listeningService(data.settings({ SHUTDOWN_DELAY: '10ms' }));
    expect((await service.process.stop()).code).to.equal(0);
  });

  it('SHUTDOWN_DELAY is not waited for by a start that was not over', async () => {
    const process = startService(
      data.settings({
        SHUTDOWN_DELAY: '60m',
        DATABASE_WAIT: '60s',
        DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      }),
    );
    await process.event('database-awaited');
    expect((await process.stop()).code).to.equal(0);
  });

  it('SIGHUP in a terminal, which hangs up, ends it', async () => {
    const program = [process.execPath, ...nodeOptions, `${projectFolder}packages/app/src/main.ts`];
    const shown = inTerminal(program, data.settings());
    const pid = await shown.processId();
    await shown.shows('listening on');
    process.kill(pid, 'SIGHUP');
    expect((await shown.ended).code).to.equal(0);
    expect(shown.screen).to.include('stopping on SIGHUP');
  });

  it('a pool that the server does not allow is warned of at the start', async () => {
    await data.database.admin.query(`alter database ${data.database.name} connection limit 7`);
    const service = await listeningService(data.settings());
    const [warning] = await times(service.process, 'check-warned', 1);
    expect(warning?.check).to.equal('pool');
    expect(warning?.msg).to.match(/^POOL_SIZE is 10, of 7 connections that the server allows/);
    expect((await service.process.stop()).code).to.equal(0);
  });
});
