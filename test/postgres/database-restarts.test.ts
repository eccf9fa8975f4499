import {
  type DatabaseAddress,
  migrate,
  openDatabase,
  PostgresAccessKeys,
  PostgresSettings,
} from '@campaign-mirror/adapters-persistence';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { type Service, serviceOn } from '../support/process/live-service.ts';
import { tester } from '../support/store/operator.ts';
import { type Live, liveCampaign } from '../support/store/world.ts';

/** Enough to be under way on every connection of the pool. */
const workers = 6;
const limits = { size: 4, waitTimeout: 5_000, statementTimeout: 5_000, queryTimeout: 6_000 };

describe('contract: answers — 200 means committed, while the database', () => {
  let server: DedicatedServer;
  let service: Service;
  let campaigns: Live[];
  let address: DatabaseAddress;

  before(async () => {
    server = await dedicatedServer();
    address = server.address('postgres');
    await migrate(address);
    const { orm, close } = await openDatabase(address);
    const world = {
      settings: new PostgresSettings(orm, tester),
      accessKeys: new PostgresAccessKeys(orm, tester),
    };
    campaigns = await Promise.all(Array.from({ length: workers }, () => liveCampaign(world)));
    await close();
    service = await serviceOn(address, limits);
  });
  after(async () => {
    await service.close();
    await server.remove();
  });

  it('is stopped and started again', () => survives('stopped', () => server.stop()));
  it('is killed and started again', () => survives('killed', () => server.kill()));

  async function survives(name: string, down: () => Promise<void>): Promise<void> {
    const work = new Work(service, name);
    const working = Promise.all(campaigns.map((campaign) => work.on(campaign)));
    try {
      await work.until(() => work.acknowledged.length >= 50, working);
      await down();
      const unavailable = work.unavailable;
      await work.until(() => work.unavailable > unavailable, working);
      await server.start();
      const served = work.acknowledged.length;
      await work.until(() => work.acknowledged.length >= served + 50, working);
    } finally {
      work.stop();
    }
    await working;

    expect(await recorded(name)).to.include.members(work.acknowledged);
    const all = await Promise.all(Array.from({ length: limits.size }, () => service.pool.connect()));
    for (const client of all) client.release();
    expect([service.pool.totalCount, service.pool.waitingCount]).to.deep.equal([limits.size, 0]);
  }

  async function recorded(name: string): Promise<string[]> {
    const client = await connect(address);
    const { rows } = await client.query(
      'select request_id from campaign_mirror.mirror_history where starts_with(request_id, $1)',
      [name],
    );
    await client.end();
    const ids = rows.map((row) => row.request_id);
    expect(new Set(ids).size, 'no update is recorded twice').to.equal(ids.length);
    return ids;
  }
});

/** Updates without a pause; every answer is a success or Unavailable. */
class Work {
  readonly acknowledged: string[] = [];
  unavailable = 0;
  #stopped = false;
  #heard = () => {};
  readonly #service: Service;
  readonly #name: string;

  constructor(service: Service, name: string) {
    this.#service = service;
    this.#name = name;
  }

  async on(campaign: Live): Promise<void> {
    for (let at = 0; !this.#stopped; at++) {
      const requestId = `${this.#name}-${campaign.seen.id}-${at}`;
      try {
        const { kind } = await this.#service.set(campaign, `https://example.com/${requestId}`, requestId);
        expect(kind).to.equal('mirror-set');
        this.acknowledged.push(requestId);
      } catch (fault) {
        expect(fault).to.be.instanceOf(Unavailable);
        this.unavailable += 1;
      }
      this.#heard();
      // A refused connection is refused again at once: others are to have their turn.
      await new Promise(setImmediate);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Looks at each answer; rejects when the work ends before. */
  async until(reached: () => boolean, working: Promise<unknown>): Promise<void> {
    while (!reached()) {
      await Promise.race([
        working,
        new Promise<void>((resolve) => {
          this.#heard = resolve;
        }),
      ]);
      if (this.#stopped) throw new Error('the work ended');
    }
  }
}
