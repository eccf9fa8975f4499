import { readFileSync } from 'node:fs';
import { migrations } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { call } from '../support/http/caller.ts';
import { RawConnection } from '../support/http/connection.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { projectFolder } from '../support/workspace.ts';

const ready = { accepting: true, database: true, writable: true, migrations: true };

describe('contract: life — health of a process, and overload', () => {
  const data = serviceDataOf('test', { campaigns: 2 });

  const serving = (more = {}) => listeningService(data.settings(more));
  async function health({ ops }: Listening, path: string) {
    const response = await fetch(`${ops}${path}`);
    return [response.status, await response.json()];
  }

  it('a pool that the load has taken whole, and requests that are refused, are no reason to be not ready', async () => {
    const service = await serving({ MAX_IN_FLIGHT: '1', POOL_SIZE: '1' });
    // On the only connection.
    const { slow: carried, holder } = await data.slow(service);
    const other = () => call(data.one(service, { campaign: data.campaigns[1] ?? 0 }));
    for (const answer of await Promise.all(Array.from({ length: 20 }, other)))
      expect(answer).to.include({ status: 503, body: '{"message":"Service Unavailable"}' });
    expect(await health(service, '/livez')).to.deep.equal([200, { status: 'alive', checks: {} }]);
    expect(await health(service, '/readyz')).to.deep.equal([200, { status: 'ready', checks: ready }]);
    await holder.rollback();
    expect((await carried).status).to.equal(200);
    expect((await other()).status).to.equal(200);

    expect((await service.process.stop()).code).to.equal(0);
    const { log } = service.process;
    const told = log.filter(({ event }) => event === 'overload');
    expect(told.map(({ listener, what }) => [listener, what])).to.deep.equal([['callers', 'requests']]);
    const requests = log.filter(({ event }) => event === 'request');
    expect(requests.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('/readyz says which migration check fails, and what else is there', async () => {
    const service = await serving();
    await data.database.admin.query('delete from campaign_mirror.migrations');
    const checks = { ...ready, migrations: false };
    expect(await health(service, '/readyz')).to.deep.equal([503, { status: 'not ready', checks }]);
  });

  it('/version tells what runs', async () => {
    const { name, version } = JSON.parse(readFileSync(`${projectFolder}package.json`, 'utf8'));
    const expected = { name, version, node: process.version, migration: migrations.at(-1)?.name };
    expect(await health(await serving(), '/version')).to.deep.equal([200, expected]);
  });

  it('IDLE_TIMEOUT is what was set', async () => {
    const service = await serving({ IDLE_TIMEOUT: '50ms' });
    const idle = await RawConnection.open(Number(new URL(service.base).port));
    await idle.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await idle.response()).headers['keep-alive']).to.equal('timeout=0');
    await idle.closed();
  });
});
