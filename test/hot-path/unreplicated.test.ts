import {
  type DatabaseAddress,
  migrate,
  openDatabase,
  PostgresAccessKeys,
  PostgresSettings,
} from '@campaign-mirror/adapters-persistence';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Client } from 'pg';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { eventually, rejection } from '../support/promises.ts';
import { type Service, serviceOn } from '../support/store/grouped.ts';
import { type Live, liveCampaign, tester } from '../support/store/world.ts';

const limits = { size: 4, waitTimeout: 5_000, statementTimeout: 20_000, queryTimeout: 30_000 };

describe('contract: answers — 200 means committed, while no synchronous standby answers', () => {
  let server: DedicatedServer;
  let address: DatabaseAddress;
  let service: Service;
  let admin: Client;
  let live: Live;
  before(async () => {
    server = await dedicatedServer();
    address = server.address('postgres');
    await migrate(address);
    admin = await connect(address);
    // As a role that would have PostgreSQL keep its warnings to itself.
    await admin.query('alter role current_user set client_min_messages = error');
    const { orm, close } = await openDatabase(address);
    live = await liveCampaign({
      settings: new PostgresSettings(orm, tester),
      accessKeys: new PostgresAccessKeys(orm, tester),
    });
    await close();
    service = await serviceOn(address, limits);
    await service.set(live, 'https://one.example/');
  });
  after(async () => {
    await service.close();
    await admin.end();
    await server.remove();
  });
  /** Which standby has to confirm each commit. */
  async function standby(name: string): Promise<void> {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`);
    await admin.query('select pg_reload_conf()');
    await eventually('the setting', async () => {
      const { rows } = await admin.query('show synchronous_standby_names');
      expect(rows[0].synchronous_standby_names).to.equal(name);
    });
  }

  /** The checkpointer makes the setting effective, some time after sessions show it: until then no commit waits. */
  async function commitsWait(): Promise<void> {
    await standby('nobody');
    const probe = await connect(address);
    for (let pid: number | undefined; pid === undefined; ) {
      let isDone = false;
      const commit = probe.query("comment on schema campaign_mirror is 'probe'").finally(() => {
        isDone = true;
      });
      pid = await eventually('a commit', async () => (isDone ? undefined : waitingNow()));
      if (pid !== undefined) await admin.query('select pg_cancel_backend($1)', [pid]);
      await commit;
    }
    await probe.end();
  }

  /** The process that waits for a standby. */
  async function waitingNow(): Promise<number> {
    const { rows } = await admin.query("select pid from pg_stat_activity where wait_event = 'SyncRep'");
    expect(rows).to.have.length(1);
    return rows[0].pid;
  }

  it('an update whose wait is canceled has an unknown outcome, although the server reports success; the next is made', async () => {
    await commitsWait();
    const fault = rejection(service.set(live, 'https://two.example/'));
    const pid = await eventually('a commit that waits', waitingNow);
    await admin.query('select pg_cancel_backend($1)', [pid]);
    expect(await fault).to.be.instanceOf(Unavailable);
    // The warning comes before others see the commit.
    await eventually('the commit', async () => {
      const { rows } = await admin.query('select target_url from campaign_mirror.mirrors');
      expect(rows).to.deep.equal([{ target_url: 'https://two.example/' }]);
    });
    await standby('');
    expect(await service.set(live, 'https://next.example/')).to.have.property('kind', 'mirror-set');
  });
});
