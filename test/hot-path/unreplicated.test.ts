import {
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
import { serviceOn } from '../support/store/grouped.ts';
import { liveCampaign, tester } from '../support/store/world.ts';

const limits = { size: 4, waitTimeout: 5_000, statementTimeout: 20_000, queryTimeout: 30_000 };

describe('contract: answers — 200 means committed, while no synchronous standby answers', () => {
  let server: DedicatedServer;
  let admin: Client;
  before(async () => {
    server = await dedicatedServer();
    await migrate(server.address('postgres'));
    admin = await connect(server.address('postgres'));
    // The service has to see PostgreSQL's warning even for a role that hides warnings.
    await admin.query('alter role current_user set client_min_messages = error');
  });
  after(async () => {
    await admin.end();
    await server.remove();
  });

  /** Names the standby that has to confirm each commit. */
  async function requireStandby(name: string): Promise<void> {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`);
    await admin.query('select pg_reload_conf()');
    await eventually('the setting', async () => {
      const { rows } = await admin.query('show synchronous_standby_names');
      expect(rows[0].synchronous_standby_names).to.equal(name);
    });
  }

  /** The process that waits for a standby. */
  async function waiting(): Promise<number> {
    const { rows } = await admin.query("select pid from pg_stat_activity where wait_event = 'SyncRep'");
    expect(rows).to.have.length(1);
    return rows[0].pid;
  }
  const cancel = (pid: number) => admin.query('select pg_cancel_backend($1)', [pid]);

  /** The checkpointer applies the setting some time after sessions show it. Until then, no commit waits. */
  async function untilCommitsWait(): Promise<void> {
    const probe = await connect(server.address('postgres'));
    for (let pid: number | undefined; pid === undefined; ) {
      let isDone = false;
      const commit = probe.query("comment on schema campaign_mirror is 'probe'").finally(() => {
        isDone = true;
      });
      pid = await eventually('a commit', async () => (isDone ? undefined : waiting()));
      if (pid !== undefined) await cancel(pid);
      await commit;
    }
    await probe.end();
  }

  it('an update whose wait is canceled is Unavailable, although PostgreSQL reports success', async () => {
    const { orm, close } = await openDatabase(server.address('postgres'));
    const ports = {
      settings: new PostgresSettings(orm, tester),
      accessKeys: new PostgresAccessKeys(orm, tester),
    };
    const live = await liveCampaign(ports);
    await close();
    const service = await serviceOn(server.address('postgres'), limits);
    await service.set(live, 'https://one.example/');
    await requireStandby('nobody');
    await untilCommitsWait();
    const fault = rejection(service.set(live, 'https://two.example/'));
    await cancel(await eventually('a commit that waits', waiting));
    expect(await fault).to.be.instanceOf(Unavailable);
    await requireStandby('');
    expect(await service.set(live, 'https://next.example/')).to.have.property('kind', 'mirror-set');
    await service.close();
  });
});
