import { openDatabase } from '@campaign-mirror/adapters-persistence';
import { type CampaignRepository, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { endWaiting, untilWaiting } from '../support/database/rival.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { groupedOf } from '../support/process/lives.ts';
import { eventually, rejection } from '../support/promises.ts';
import { hotPathBy, statementsBy } from '../support/store/hot-paths.ts';
import { address, change, type Live } from '../support/store/world.ts';
import { beforeHistory, gateBeforeCommit } from './gate.ts';

const to = address('https://example.com/new');
const poison = address('https://example.com/poison');
const databaseFault = (code: string) =>
  Object.assign(new pg.DatabaseError('on purpose', 1, 'error'), { code });

describe('group commit: a batch that fails', () => {
  const service = groupedOf('suite');
  let lives: [Live, Live, Live, Live];
  beforeEach(async () => {
    lives = await service.live(4);
  });

  /** An update of each campaign, in one turn. */
  const setAll = (by: CampaignRepository = service.campaigns, text = to) =>
    lives.map((live) => by.setMirror(live.seen, change(live.by, text)));
  const rejections = (sets: readonly Promise<unknown>[]) => Promise.all(sets.map(rejection));
  const staged = (instead: Parameters<typeof statementsBy>[1]) =>
    hotPathBy(service.pool, { statements: statementsBy(service.pool, instead) }).campaigns;

  async function expectSet(sets: readonly Promise<unknown>[], text = to): Promise<void> {
    for (const one of await Promise.all(sets)) expect(one).to.have.nested.property('mirror.targetUrl', text);
  }

  /** Each mirror is at the end of its history, which is one chain of so many changes in all. */
  async function expectHistory(changes: number): Promise<void> {
    expect(await service.history(...lives)).to.have.length(changes);
    for (const live of lives) {
      const rows = await service.history(live);
      const addresses = [live.mirror.targetUrl, ...rows.map((row) => row.addressAfter)];
      expect(rows.map((row) => row.addressBefore)).to.deep.equal(addresses.slice(0, -1));
      expect(await service.world.others.mirror(live.seen.id)).to.include({ targetUrl: addresses.at(-1) });
    }
  }

  const raising = (statement: string) => beforeHistory(service.database, statement);
  const poisoned = `if new.address_after = '${poison}' then raise exception 'poisoned' using errcode = 'P0001'; end if`;

  it('by one member: that one alone is rejected, the others are set, once', async () => {
    await raising(poisoned);
    const [first, second] = lives;
    const behind = `${to}/behind`;
    const sets = setAll();
    const fault = rejection(service.setMirror(first, poison));
    const later = [first, second].map((live) => service.setMirror(live, behind));
    await expectSet(sets);
    expect(await fault).to.have.property('code', 'P0001');
    await Promise.all(later);
    const rows = await service.history(...lives);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal([to, behind, to, behind, to, to]);
    await expectHistory(6);
  });

  for (const [code, times] of Object.entries({ '40P01': 1, '40001': 2 }))
    it(`by ${code}, for ${times} times: all are set, once`, async () => {
      await raising(
        `if nextval('campaign_mirror.tries') <= ${times} then raise exception 'again' using errcode = '${code}'; end if`,
      );
      await expectSet(setAll());
      await expectHistory(4);
    });

  it('as its connection is cut: all of it is Unavailable and nothing is written; the next goes on another', async () => {
    const keeper = await gateBeforeCommit(service.database);
    const faults = rejections(setAll());
    await untilWaiting(service.database, faults);
    const meanwhile = service.setMirror(lives[0], `${to}/meanwhile`);
    await endWaiting(service.database);
    for (const fault of await faults) expect(fault).to.be.instanceOf(Unavailable);
    await keeper.commit();
    expect(await meanwhile).to.include({ targetUrl: `${to}/meanwhile` });
    await expectHistory(1);
    await expectSet(setAll());
    await expectHistory(5);
    expect(service.pool.totalCount - service.pool.idleCount).to.equal(0);
  });

  it('as the network is cut after its commit, before its answer: all of it is Unavailable, and all of it is written, once', async () => {
    const proxy = await tcpProxy(service.database.address('service'));
    const through = { ...service.database.address('service'), host: '127.0.0.1', port: proxy.port };
    const { pool, close } = await openDatabase(through);
    const { campaigns } = hotPathBy(pool);
    const keeper = await gateBeforeCommit(service.database);
    const faults = rejections(setAll(campaigns));
    await untilWaiting(service.database, faults);
    proxy.freeze();
    await keeper.commit();
    await eventually('the commit', async () => expect(await service.history(...lives)).not.to.have.length(0));
    proxy.cut();
    for (const fault of await faults) expect(fault).to.be.instanceOf(Unavailable);
    proxy.thaw();
    await expectHistory(4);
    await expectSet(setAll(campaigns));
    await close();
    await proxy.close();
  });

  for (const [what, fault] of [
    ['by what may have come after its commit', databaseFault('XX000')],
    ['after its commit, in here', new TypeError('an answer that cannot be read')],
    ['by the server, for too long', new Unavailable('away', { cause: databaseFault('57014') })],
  ] as const) {
    it(`${what}: nothing is done a second time`, async () => {
      const campaigns = staged(async (run) => {
        await run();
        throw fault;
      });
      for (const one of await rejections(setAll(campaigns))) expect(one).to.equal(fault);
      await expectHistory(4);
    });
  }

  it('and goes one by one while the database becomes unavailable: the rest is not tried', async () => {
    const away = new Unavailable('away');
    const tried: string[] = [];
    const campaigns = staged(async (run, { name }, nth) => {
      tried.push(name);
      if (nth === 1) throw databaseFault('22000');
      // As where its campaign is locked.
      if (nth === 2)
        return [
          ['1', '1', '0', '0.0', null, '0', 't', `${lives[0].seen.ownerId}`, 'f', to, 'f', null, '0.0', null],
        ];
      if (name === 'set-mirrors') throw away;
      return run();
    });
    const [first, ...others] = setAll(campaigns);
    for (const fault of await rejections(others)) expect(fault).to.equal(away);
    expect(await first).to.have.property('kind', 'mirror-set');
    expect(tried).to.deep.equal(['set-mirrors', 'set-mirrors', 'set-mirrors', 'set-locked-mirror']);
  });
});
