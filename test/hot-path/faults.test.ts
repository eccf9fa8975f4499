import { type HotPathObserver, silentHotPathObserver } from '@campaign-mirror/adapters-persistence';
import { type MirrorAddress, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { groupCommit } from '../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import type { TextRow, Value } from '../../packages/adapters-persistence/src/statements/extended-query.ts';
import { type Statement, Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { gateBeforeCommit, shutGate } from '../support/database/gate.ts';
import { endWaiting, rival, untilWaiting } from '../support/database/rival.ts';
import { rejection } from '../support/faults.ts';
import { type Grouped, grouped, lockMirror } from '../support/store/grouped.ts';
import { hotPathOn } from '../support/store/hot-paths.ts';
import { change, type Live } from '../support/store/world.ts';

const address = 'https://example.com/new';
const poison = 'https://example.com/poison';

describe('group commit: a batch that fails', () => {
  let service: Grouped;
  let lives: [Live, ...Live[]];
  beforeEach(async () => {
    service = await grouped();
    lives = await service.live(4);
  });
  afterEach(() => service.close());

  it('by one member: that one alone is rejected, the others are set, once', async () => {
    await raising(
      `if new.address_after = '${poison}' then raise exception 'poisoned' using errcode = 'P0001'; end if`,
    );
    const [first, second] = lives as unknown as [Live, Live];
    const calls = [
      ...lives.map((live) => service.setMirror(live, address)),
      rejection(service.setMirror(first, poison)),
      service.setMirror(first, `${address}/behind`),
      service.setMirror(second, `${address}/behind`),
    ];
    const answers = await Promise.all(calls);
    expect(answers[lives.length]).to.have.property('code', 'P0001');
    const rows = await service.history(...lives);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal([
      address,
      `${address}/behind`,
      address,
      `${address}/behind`,
      address,
      address,
    ]);
    await expectAgreement();
  });

  it('by a member or by the statement: its connection is used again', async () => {
    const closed: unknown[] = [];
    service.pool.on('remove', (client) => closed.push(client));
    await raising(`if new.address_after = '${poison}' then raise exception 'poisoned'; end if`);
    await Promise.all(lives.map((live) => rejection(service.setMirror(live, poison))));
    const statements = new Statements(service.pool);
    const refused = { name: 'nothing-there', text: 'select from nothing_there' };
    expect(await rejection(statements.run(refused, []))).to.have.property('code', '42P01');
    const answers = await Promise.all(lives.map((live) => service.setMirror(live, address)));
    for (const mirror of answers) expect(mirror).to.include({ targetUrl: address });
    expect(closed).to.deep.equal([]);
    await expectAgreement();
  });

  for (const code of ['40001', '40P01']) {
    for (const times of [1, 2]) {
      it(`by ${code}, ${times === 1 ? 'once' : 'twice'}: all are set, once`, async () => {
        await service.database.admin.query('create sequence campaign_mirror.tries');
        await service.database.admin.query('grant usage on sequence campaign_mirror.tries to public');
        await raising(
          `if nextval('campaign_mirror.tries') <= ${times} then raise exception 'again' using errcode = '${code}'; end if`,
        );
        const answers = await Promise.all(lives.map((live) => service.setMirror(live, address)));
        for (const mirror of answers) expect(mirror).to.include({ targetUrl: address });
        expect(await service.history(...lives)).to.have.length(lives.length);
        await expectAgreement();
      });
    }
  }

  it('as its connection is cut: all of it is Unavailable and nothing is written; the next goes on another', async () => {
    await gateBeforeCommit(service.database);
    const keeper = await shutGate(service.database);
    const calls = lives.map((live) => rejection(service.setMirror(live, address)));
    await untilWaiting(service.database, Promise.all(calls));
    const meanwhile = service.setMirror(lives[0], `${address}/meanwhile`);
    await endWaiting(service.database);
    for (const fault of await Promise.all(calls)) expect(fault).to.be.instanceOf(Unavailable);
    await keeper.commit();
    expect(await meanwhile).to.include({ targetUrl: `${address}/meanwhile` });
    expect(await service.history(...lives)).to.have.length(1);
    const next = await Promise.all(lives.map((live) => service.setMirror(live, `${address}/next`)));
    for (const mirror of next) expect(mirror).to.include({ targetUrl: `${address}/next` });
    await expectAgreement();
    expect(service.pool.totalCount - service.pool.idleCount).to.equal(0);
  });

  it('by the server, for too long: all of it is Unavailable and nothing is written', async () => {
    await service.close();
    service = await grouped({ statementTimeout: 500 });
    lives = await service.live(4);
    await gateBeforeCommit(service.database);
    const keeper = await shutGate(service.database);
    const faults = await Promise.all(lives.map((live) => rejection(service.setMirror(live, address))));
    await keeper.commit();
    for (const fault of faults)
      expect(fault).to.be.instanceOf(Unavailable).and.to.have.nested.property('cause.code', '57014');
    expect(await service.history(...lives)).to.deep.equal([]);
    await expectAgreement();
  });

  it('by what may have come after its commit: nothing is done a second time', async () => {
    class Cut extends Statements {
      override async run<Row extends TextRow>(
        ...[statement, values]: Parameters<Statements['run']>
      ): Promise<Row[]> {
        await super.run<Row>(statement, values);
        throw Object.assign(new pg.DatabaseError('the pooler lost its server', 1, 'error'), {
          code: 'XX000',
        });
      }
    }
    const campaigns = new PostgresCampaigns(hotPathOn(new Cut(service.pool)));
    const sets = lives.map(({ seen, by }) => rejection(campaigns.setMirror(seen, change(by))));
    for (const fault of await Promise.all(sets)) expect(fault).to.have.property('code', 'XX000');
    expect(await service.history(...lives)).to.have.length(lives.length);
  });

  it('and goes one by one while the database becomes unavailable: the rest is not tried', async () => {
    const tried: string[] = [];
    class Leaving extends Statements {
      override async run<Row extends TextRow>(statement: Statement): Promise<Row[]> {
        tried.push(statement.name);
        if (tried.length === 1)
          throw Object.assign(new pg.DatabaseError('no', 1, 'error'), { code: '22000' });
        throw new Unavailable('away');
      }
    }
    const campaigns = new PostgresCampaigns(hotPathOn(new Leaving(service.pool)));
    const sets = lives.map(({ seen, by }) => rejection(campaigns.setMirror(seen, change(by))));
    for (const fault of await Promise.all(sets)) expect(fault).to.be.instanceOf(Unavailable);
    expect(tried).to.deep.equal(['set-mirrors', 'set-mirror']);
  });

  it('and goes one by one while the database becomes unavailable: who is set aside before that is set', async () => {
    const tried: string[] = [];
    class Leaving extends Statements {
      override async run<Row extends TextRow>(
        statement: Statement,
        values: readonly Value[],
      ): Promise<Row[]> {
        tried.push(statement.name);
        if (tried.length === 1)
          throw Object.assign(new pg.DatabaseError('no', 1, 'error'), { code: '22000' });
        // As where its campaign is locked.
        const { ownerId } = lives[0].seen;
        if (tried.length === 2)
          return [[null, null, null, null, 't', `${ownerId}`, 'f', 't'] as TextRow as Row];
        if (statement.name === 'set-mirror') throw new Unavailable('away');
        return super.run<Row>(statement, values);
      }
    }
    const campaigns = new PostgresCampaigns(hotPathOn(new Leaving(service.pool)));
    const [first, ...others] = lives.map(({ seen, by }) => campaigns.setMirror(seen, change(by)));
    for (const other of others) expect(await rejection(other)).to.be.instanceOf(Unavailable);
    expect(await first).to.have.property('kind', 'mirror-set');
    expect(tried).to.deep.equal(['set-mirrors', 'set-mirror', 'set-mirror', 'set-held-mirror-chains']);
  });

  it('alone: it is not tried a second time', async () => {
    await raising(`if new.address_after = '${poison}' then raise exception 'poisoned'; end if`);
    let tried = 0;
    const campaigns = observedBy({ ended: () => void tried++ });
    const [{ seen, by }] = lives;
    expect(await rejection(campaigns.setMirror(seen, change(by, poison as MirrorAddress)))).to.have.property(
      'code',
      'P0001',
    );
    expect(tried).to.equal(1);
  });

  it('since rows are missing in its answer: nobody waits for ever', async () => {
    class Short extends Statements {
      override async run<Row extends TextRow>(...all: Parameters<Statements['run']>): Promise<Row[]> {
        return (await super.run<Row>(...all)).slice(1);
      }
    }
    const campaigns = new PostgresCampaigns(hotPathOn(new Short(service.pool)));
    const sets = lives.map(({ seen, by }) => rejection(campaigns.setMirror(seen, change(by))));
    for (const fault of await Promise.all(sets))
      expect(fault).to.have.property('message', '3 rows for 4 updates');
  });

  it('by a right that is missing: it is told, and no member is tried in vain', async () => {
    await service.database.admin.query(
      'revoke update (target_url) on campaign_mirror.mirrors from campaign_mirror_service',
    );
    const refused: string[] = [];
    const campaigns = observedBy({ refused: (statement) => void refused.push(statement) });
    const sets = lives.map(({ seen, by }) => rejection(campaigns.setMirror(seen, change(by))));
    for (const fault of await Promise.all(sets)) expect(fault).to.have.property('code', '42501');
    expect(refused).to.deep.equal(['set-mirrors']);
  });

  for (const [word, nth] of [
    ['batch', 1],
    ['batch', 2],
    ['ended', 1],
    ['setAside', 1],
  ] as const) {
    it(`by an observer whose ${word} throws, the ${nth === 1 ? 'first' : 'second'} time: the next is set`, async () => {
      let told = 0;
      const fault = new Error('on purpose');
      const campaigns = observedBy({
        [word]: () => {
          if (++told === nth) throw fault;
        },
      });
      const [{ seen, by }] = lives;
      const holder = await rival(service.database);
      await holder.run(lockMirror, seen.id);
      const heard = await rejection(campaigns.setMirror(seen, change(by)));
      expect([heard, (heard as Error).cause]).to.include(fault);
      await holder.rollback();
      expect(await campaigns.setMirror(seen, change(by))).to.have.property('kind', 'mirror-set');
    });
  }

  it('by an observer that throws for who comes to a line: who waits in it is set, and who comes later', async () => {
    let told = 0;
    const fault = new Error('on purpose');
    const campaigns = observedBy({
      setAside: () => {
        if (++told === 2) throw fault;
      },
    });
    const [{ seen, by }] = lives;
    const holder = await rival(service.database);
    await holder.run(lockMirror, seen.id);
    const waits = campaigns.setMirror(seen, change(by));
    await untilWaiting(service.database, waits);
    expect(await rejection(campaigns.setMirror(seen, change(by)))).to.equal(fault);
    const later = campaigns.setMirror(seen, change(by));
    await holder.rollback();
    for (const set of [waits, later]) expect(await set).to.have.property('kind', 'mirror-set');
  });

  it('since its plan is stale: it is run again, and all are set', async () => {
    const all = () => Promise.all(lives.map((live) => service.setMirror(live, address)));
    await all();
    await service.database.admin.query(
      'alter table campaign_mirror.mirrors alter column clicks type numeric',
    );
    for (const mirror of await all()) expect(mirror).to.include({ targetUrl: address });
    expect(await service.history(...lives)).to.have.length(2 * lives.length);
  });

  it('after its commit, in here: what was done is not done again', async () => {
    class Confused extends Statements {
      override async run<Row extends TextRow>(
        statement: Statement,
        values: readonly Value[],
      ): Promise<Row[]> {
        const rows = await super.run<Row>(statement, values);
        if (statement.name === 'set-mirrors') throw new TypeError('an answer that cannot be read');
        return rows;
      }
    }
    const limits = { maxHeld: 1, timeout: 30_000 };
    const campaigns = new PostgresCampaigns(groupCommit(new Confused(service.pool), limits));
    const sets = lives.map(({ seen, by }) => rejection(campaigns.setMirror(seen, change(by))));
    for (const fault of await Promise.all(sets)) expect(fault).to.be.instanceOf(TypeError);
    expect(await service.history(...lives)).to.have.length(lives.length);
    await expectAgreement();
  });

  function observedBy(words: Partial<HotPathObserver>): PostgresCampaigns {
    const observer = { ...silentHotPathObserver, ...words };
    const limits = { maxHeld: 1, timeout: 30_000 };
    const statements = new Statements(service.pool, {}, observer);
    return new PostgresCampaigns(groupCommit(statements, limits, observer));
  }

  /** The statement that is run for each row of the history before it is written. */
  async function raising(statement: string): Promise<void> {
    await service.database.admin.query(`
      create function campaign_mirror.raising() returns trigger language plpgsql as $$
        begin ${statement}; return new; end
      $$;
      create trigger raising before insert on campaign_mirror.mirror_history
        for each row execute function campaign_mirror.raising()`);
  }

  /** Each mirror is at the end of its history, which is one chain. */
  async function expectAgreement(): Promise<void> {
    for (const live of lives) {
      const rows = await service.history(live);
      const addresses = [live.mirror.targetUrl, ...rows.map((row) => row.addressAfter)];
      expect(rows.map((row) => row.addressBefore)).to.deep.equal(addresses.slice(0, -1));
      expect(await service.world.others.mirror(live.seen.id)).to.include({ targetUrl: addresses.at(-1) });
    }
  }
});
