import { migrations } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { eventsOf, listeningService } from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

const ready = { accepting: true, database: true, writable: true, migrations: true };

describe('contract: life — health of a process, and overload', () => {
  const data = serviceDataOf('test', { campaigns: 2 });

  it('a pool that the load has taken whole, and requests that are refused, are no reason to be not ready', async () => {
    const service = await listeningService(data.settings({ MAX_IN_FLIGHT: '1', POOL_SIZE: '1' }));
    const health = async (path: string) => {
      const response = await fetch(`${service.ops}${path}`);
      return [response.status, await response.json()];
    };
    // On the only connection.
    const { slow: carried, holder } = await data.slow(service);
    const other = () => call(data.one(service, { campaign: data.campaigns[1] ?? 0 }));
    for (const answer of await Promise.all(Array.from({ length: 20 }, other)))
      expect(answer).to.include({ status: 503, body: '{"message":"Service Unavailable"}' });
    expect(await health('/livez')).to.deep.equal([200, { status: 'alive', checks: {} }]);
    expect(await health('/readyz')).to.deep.equal([200, { status: 'ready', checks: ready }]);
    await holder.rollback();
    expect((await carried).status).to.equal(200);
    expect((await other()).status).to.equal(200);

    const { name, version } = JSON.parse(await read('package.json'));
    const running = { name, version, node: process.version, migration: migrations.at(-1)?.name };
    expect(await health('/version')).to.deep.equal([200, running]);
    await data.database.admin.query('delete from campaign_mirror.migrations');
    const notReady = { status: 'not ready', checks: { ...ready, migrations: false } };
    const answers = async () => expect(await health('/readyz')).to.deep.equal([503, notReady]);
    await eventually('an answer that is not remembered', answers);

    expect((await service.process.stop()).code).to.equal(0);
    const told = eventsOf(service.process, 'overload').map(({ listener, what }) => [listener, what]);
    expect(told).to.deep.equal([['callers', 'requests']]);
    const statuses = eventsOf(service.process, 'request').map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 200]);
  });
});
