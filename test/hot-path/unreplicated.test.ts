import {
  type DatabaseAddress,
  migrate,
  openDatabase,
  PostgresAccessKeys,
  PostgresMirrorMoves,
  PostgresSettings,
} from '@campaign-mirror/adapters-persistence';
import { host, hostMove, MoveMirrors, noDeniedHosts, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Client } from 'pg';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { eventually } from '../support/eventually.ts';
import { rejection } from '../support/faults.ts';
import { type Service, serviceOn } from '../support/process/live-service.ts';
import { named, tester } from '../support/store/operator.ts';
import { type Live, liveCampaign } from '../support/store/world.ts';

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
    const { orm, close } = await openDatabase(address);
    const world = {
      settings: new PostgresSettings(orm, tester),
      accessKeys: new PostgresAccessKeys(orm, tester),
    };
    live = await liveCampaign(world);
    await close();
    service = await serviceOn(address, limits);
    await service.set(live, 'https://one.example/');
  });
  after(async () => {
    await service.close();
    await admin.end();
    await server.remove();
  });

  beforeEach(async () => {
    await standby('nobody');
    await untilCommitsWait();
  });
  afterEach(() => standby(''));

  it('an update whose wait is canceled has an unknown outcome, although the server reports success', async () => {
    const call = rejection(service.set(live, 'https://two.example/'));
    await cancelTheWait();
    expect(await call).to.be.instanceOf(Unavailable);
    // The warning comes before others see the commit.
    await eventually('the commit', async () => expect(await stored()).to.equal('https://two.example/'));
  });

  it('the next update is made on another connection', async () => {
    const call = rejection(service.set(live, 'https://three.example/'));
    await cancelTheWait();
    await call;
    await standby('');
    expect(await service.set(live, 'https://four.example/')).to.have.property('kind', 'mirror-set');
  });

  it('the same where the role would have PostgreSQL keep its warnings to itself', async () => {
    await standby('');
    await admin.query('alter role current_user set client_min_messages = error');
    const quiet = await serviceOn(address, limits);
    await standby('nobody');
    await untilCommitsWait();
    const call = rejection(quiet.set(live, 'https://quiet.example/'));
    await cancelTheWait();
    expect(await call).to.be.instanceOf(Unavailable);
    await standby('');
    await admin.query('alter role current_user reset client_min_messages');
    await quiet.close();
  });

  it('an act of the operator: the same', async () => {
    const { orm, close } = await openDatabase(address, limits);
    const call = rejection(
      new PostgresAccessKeys(orm, tester).issue({ owner: live.seen.ownerId, name: named('unreplicated') }),
    );
    await cancelTheWait();
    expect(await call).to.be.instanceOf(Unavailable);
    await close();
  });

  it('mirror move: the same', async () => {
    const { pool, close } = await openDatabase(address, limits);
    const [from, to] = [host('one.example'), host('other.example')];
    const move = from && to && hostMove(from, to, false, noDeniedHosts);
    if (!move || 'fault' in move) throw new Error('no move');
    await standby('');
    await service.set(live, 'https://one.example/');
    await standby('nobody');
    await untilCommitsWait();
    const moves = new MoveMirrors(new PostgresMirrorMoves(pool, tester));
    const all = async () => {
      for await (const _ of moves.execute({ move, dryRun: false, includeDefault: true }));
    };
    const call = rejection(all());
    await cancelTheWait();
    expect(await call).to.be.instanceOf(Unavailable);
    await close();
  });

  it('the time limit of a statement does not end the wait', async () => {
    const hurried = await serviceOn(address, { ...limits, statementTimeout: 1_000 });
    const call = hurried.set(live, 'https://five.example/').then(({ kind }) => kind);
    await waits("now() - query_start > interval '2 s'");
    await standby('');
    expect(await call).to.equal('mirror-set');
    await hurried.close();
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
  async function untilCommitsWait(): Promise<void> {
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

  /** Resolves with the process that waits for a standby. */
  function waits(how = 'true'): Promise<number> {
    return eventually('a commit that waits', () => waitingNow(how));
  }

  async function waitingNow(how = 'true'): Promise<number> {
    const { rows } = await admin.query(
      `select pid from pg_stat_activity where wait_event = 'SyncRep' and ${how}`,
    );
    expect(rows).to.have.length(1);
    return rows[0].pid;
  }

  async function cancelTheWait(): Promise<void> {
    await admin.query('select pg_cancel_backend($1)', [await waits()]);
  }

  async function stored(): Promise<string> {
    const { rows } = await admin.query('select target_url from campaign_mirror.mirrors');
    return rows[0].target_url;
  }
});
