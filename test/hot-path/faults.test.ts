import { openDatabase, openHotPath } from '@campaign-mirror/adapters-persistence';
import { type CampaignRepository, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { StatementRunner } from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { patient } from '../support/database/patient.ts';
import { endWaiting, untilWaiting } from '../support/database/rival.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { groupedOf } from '../support/process/lives.ts';
import { eventually, rejection } from '../support/promises.ts';
import { address, change } from '../support/store/world.ts';
import { beforeHistory, failingOnce, gateBeforeCommit } from './gate.ts';

const to = address('https://example.com/new');
const poison = address('https://example.com/poison');
const databaseFault = (code: string) =>
  Object.assign(new pg.DatabaseError('on purpose', 1, 'error'), { code });

describe('a batch that fails', () => {
  const service = groupedOf('suite');
  let lives: Awaited<ReturnType<typeof service.live>>;
  beforeEach(async () => {
    lives = await service.live(4);
  });

  /** An update of each campaign, all in one batch. */
  const setAll = (by: CampaignRepository = service.campaigns) =>
    lives.map((live) => by.setMirror(live.seen, change(live.by, to)));

  async function expectSet(sets: readonly Promise<unknown>[]): Promise<void> {
    for (const one of await Promise.all(sets)) expect(one).to.have.nested.property('mirror.targetUrl', to);
  }

  async function expectUnavailable(sets: readonly Promise<unknown>[]): Promise<void> {
    for (const one of await Promise.all(sets.map(rejection))) expect(one).to.be.instanceOf(Unavailable);
  }

  /** The history has so many changes, and each mirror is at the end of its chain. */
  async function expectHistory(changes: number): Promise<void> {
    expect(await service.history(...lives)).to.have.length(changes);
    for (const live of lives) {
      const rows = await service.history(live);
      const addresses = [live.mirror.targetUrl, ...rows.map((row) => row.addressAfter)];
      expect(rows.map((row) => row.addressBefore)).to.deep.equal(addresses.slice(0, -1));
      expect(await service.world.others.mirror(live.seen.id)).to.include({ targetUrl: addresses.at(-1) });
    }
  }

  it('because of one member rejects that one only, and sets the others once', async () => {
    await beforeHistory(
      service.database,
      `if new.address_after = '${poison}' then raise exception 'poisoned' using errcode = 'P0001'; end if`,
    );
    const [first, ...others] = lives;
    const fault = rejection(service.setMirror(first, poison));
    const sets = others.map((live) => service.setMirror(live, to));
    for (const mirror of await Promise.all(sets)) expect(mirror).to.include({ targetUrl: to });
    expect(await fault).to.have.property('code', 'P0001');
    await expectHistory(3);
  });

  for (const [often, code, times] of [
    ['once', '40P01', 1],
    ['twice', '40001', 2],
  ] as const)
    it(`${often} with ${code} is retried, and sets all members once`, async () => {
      await failingOnce(service.database, code, times);
      await expectSet(setAll());
      await expectHistory(4);
    });

  it('as its connection is lost is Unavailable and writes nothing; the next batch has another connection', async () => {
    const keeper = await gateBeforeCommit(service.database);
    const sets = setAll();
    const unavailable = expectUnavailable(sets);
    await untilWaiting(service.database, unavailable);
    await endWaiting(service.database);
    await unavailable;
    await keeper.commit();
    await expectHistory(0);
    await expectSet(setAll());
    await expectHistory(4);
    expect(service.pool.totalCount - service.pool.idleCount).to.equal(0);
  });

  it('as the network is cut between its commit and its answer is Unavailable, and is written once', async () => {
    const proxy = await tcpProxy(service.database.address('service'));
    const through = { ...service.database.address('service'), host: '127.0.0.1', port: proxy.port };
    const { pool, close } = await openDatabase(through);
    const { campaigns } = openHotPath(pool, { limits: patient });
    const keeper = await gateBeforeCommit(service.database);
    const unavailable = expectUnavailable(setAll(campaigns));
    await untilWaiting(service.database, unavailable);
    proxy.freeze();
    await keeper.commit();
    await eventually('the commit', async () => expect(await service.history(...lives)).not.to.have.length(0));
    proxy.cut();
    await unavailable;
    proxy.thaw();
    await expectHistory(4);
    await expectSet(setAll(campaigns));
    await close();
    await proxy.close();
  });

  for (const [what, fault] of [
    ['with a fault that can come after a commit', databaseFault('XX000')],
    ['in this process after its commit', new TypeError('an answer that cannot be read')],
    ['because its statement takes too long', new Unavailable('away', { cause: databaseFault('57014') })],
  ] as const)
    it(`${what} is not sent again`, async () => {
      const statements = new StatementRunner(service.pool);
      const run: StatementRunner['run'] = statements.run.bind(statements);
      statements.run = async (...words) => {
        await run(...words);
        throw fault;
      };
      const { campaigns } = openHotPath(service.pool, { statements, limits: patient });
      for (const one of await Promise.all(setAll(campaigns).map(rejection))) expect(one).to.equal(fault);
      await expectHistory(4);
    });
});
