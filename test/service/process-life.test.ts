import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { rival } from '../support/database/rival.ts';
import { call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService, startService } from '../support/process/service-process.ts';

describe('contract: life — a process of the service', () => {
  const data = serviceDataOf('test', { campaigns: 4 });
  const campaigns = ({ base }: Listening) =>
    data.campaigns.map((campaign) => ({ base, campaign, key: data.key }));

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`${signal} under load: every accepted request is answered, exit code 0`, async () => {
      const service = await listeningService(data.settings());
      const callers = load(campaigns(service), 16);
      await callers.first;
      const end = await service.process.stop(signal);
      const answers = await callers.stop();
      expect(end).to.deep.equal({ code: 0, signal: null });
      const answered = answers.filter(({ status }) => status !== undefined);
      expect(new Set(answered.map(({ status }) => status))).to.deep.equal(new Set([200]));
      const recorded = await data.recorded();
      expect(new Set(recorded)).to.deep.equal(new Set(answered.map(({ requestId }) => requestId)));
      expect(recorded).to.have.length(answered.length);
    });
  }

  it('kill -9 under load: every acknowledged update is there', async () => {
    const service = await listeningService(data.settings());
    const callers = load(campaigns(service), 16);
    await callers.first;
    expect((await service.process.stop('SIGKILL')).signal).to.equal('SIGKILL');
    const acknowledged = (await callers.stop()).filter(({ status }) => status === 200);
    expect(await data.recorded()).to.include.members(acknowledged.map(({ requestId }) => requestId));
  });

  it('what is under way is waited for, and its connection closes', async () => {
    const service = await listeningService(data.settings());
    const { slow, holder } = await data.slow(service);
    service.process.child.kill('SIGTERM');
    await service.process.event('stopping');
    const ready = await fetch(`${service.ops}/readyz`);
    expect(ready.status).to.equal(503);
    await holder.rollback();
    expect((await slow).status).to.equal(200);
    expect((await service.process.ended).code).to.equal(0);
  });

  it('the same signal again within a second is the first one; later it ends the process at once', async () => {
    const service = await listeningService(
      data.settings({ SHUTDOWN_TIMEOUT: '10m', STATEMENT_TIMEOUT: '30s' }),
    );
    const { slow, holder } = await data.slow(service);
    service.process.child.kill('SIGTERM');
    service.process.child.kill('SIGTERM');
    await service.process.event('stopping');
    service.process.child.kill('SIGTERM');
    expect((await fetch(`${service.ops}/livez`)).status, 'alive after three signals at once').to.equal(200);
    const again = setInterval(() => service.process.child.kill('SIGTERM'), 100);
    const { signal } = await service.process.ended;
    clearInterval(again);
    await holder.rollback();
    expect(signal).to.equal('SIGTERM');
    expect((await slow).status).to.equal(undefined);
  });

  it('a connection that idles, or never asked, does not hold up the end', async () => {
    const service = await listeningService(data.settings({ SHUTDOWN_TIMEOUT: '10m' }));
    const port = Number(new URL(service.base).port);
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    expect((await fetch(`${service.base}/nowhere`)).status).to.equal(404);
    const closed = once(silent, 'close');
    expect((await service.process.stop()).code).to.equal(0);
    await closed;
  });

  it('SIGTERM while it waits for another process that migrates: exit code 0', async () => {
    const holder = await rival(data.database);
    await holder.run('select pg_advisory_xact_lock(7236110421)');
    const process = startService({ DATABASE_URL: data.database.url('owner') });
    await process.event('migration-awaited');
    expect((await process.stop()).code).to.equal(0);
    await holder.rollback();
    expect(process.log.map(({ event }) => event))
      .to.include('stopped')
      .and.not.to.include('listening');
  });

  it('two services over one database: one order of updates, and a revoked key is refused by both at once', async () => {
    const services = await Promise.all([
      listeningService(data.settings()),
      listeningService(data.settings()),
    ]);
    const callers = load(
      services.flatMap((service) => campaigns(service).slice(0, 1)),
      8,
    );
    await callers.first;
    await callers.after(200);
    const answers = await callers.stop();
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const { rows } = await data.database.admin.query(
      'select address_before, address_after from campaign_mirror.mirror_history order by id',
    );
    expect(rows).to.have.length(answers.length);
    for (const [at, row] of rows.slice(1).entries())
      expect(row.address_before).to.equal(rows[at].address_after);
    await data.database.admin.query('update campaign_mirror.access_keys set revoked_at = now()');
    for (const service of services) expect((await call(data.one(service))).status).to.equal(401);
  });
});
