import { openDatabase } from '@campaign-mirror/adapters-persistence';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { groupCommit } from '../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { serverAddress } from '../support/database/database-server.ts';
import { gateBeforeCommit, shutGate } from '../support/database/gate.ts';
import { untilWaiting } from '../support/database/rival.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { rejection } from '../support/faults.ts';
import { groupedOf } from '../support/process/lives.ts';
import { address, change } from '../support/store/world.ts';

const to = address('https://example.com/new');

describe('group commit: a network that is cut after the commit of a batch, before its answer', () => {
  const service = groupedOf('suite');

  it('all of it is Unavailable, and all of it is written, once', async () => {
    const proxy = await tcpProxy(serverAddress());
    const through = { ...service.database.address('service'), host: '127.0.0.1', port: proxy.port };
    const { pool, close } = await openDatabase(through);
    const campaigns = new PostgresCampaigns(
      groupCommit(new Statements(pool), { maxHeld: 5, timeout: 30_000 }),
    );
    const lives = await service.live(4);
    await gateBeforeCommit(service.database);
    const keeper = await shutGate(service.database);
    const calls = lives.map(({ seen, by }) => rejection(campaigns.setMirror(seen, change(by, to))));
    await untilWaiting(service.database, Promise.all(calls));
    proxy.freeze();
    await keeper.commit();
    await eventually('the commit', async () => expect(await service.history(...lives)).not.to.have.length(0));
    proxy.cut();
    for (const fault of await Promise.all(calls)) expect(fault).to.be.instanceOf(Unavailable);
    proxy.thaw();
    const rows = await service.history(...lives);
    expect(rows.map((row) => row.campaignId)).to.deep.equal(lives.map(({ seen }) => seen.id));
    for (const { seen } of lives)
      expect(await service.world.others.mirror(seen.id)).to.include({ targetUrl: to });
    const next = await Promise.all(lives.map(({ seen, by }) => campaigns.setMirror(seen, change(by, to))));
    for (const result of next) expect(result).to.have.nested.property('mirror.targetUrl', to);
    await close();
    await proxy.close();
  });
});
