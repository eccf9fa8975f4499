import {
  type Database,
  openDatabase,
  PostgresAccessKeys,
  PostgresIdentity,
  Statements,
  type TextRow,
} from '@campaign-mirror/adapters-persistence';
import { type AccessKey, accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { type GroupCommitSetting, groupCommits, hotPathOn } from '../support/hot-paths.ts';
import { named, tester } from '../support/operator.ts';
import { rival, untilWaiting } from '../support/rival.ts';
import { newOwner } from '../support/world.ts';

describe('decisions: keys — in PostgreSQL', () => {
  let database: TestDatabase;
  let service: Database;
  let operator: Database;
  let keys: PostgresAccessKeys;

  before(async () => {
    database = await freshDatabase();
    service = await openDatabase(database.address('service'));
    operator = await openDatabase(database.address('operator'));
    keys = new PostgresAccessKeys(operator.orm, tester);
  });
  after(async () => {
    await service.close();
    await operator.close();
    await database.drop();
  });

  it('what is kept: the first 10 characters for display, and the times by the clock of the database', async () => {
    const { id, key } = await withClockOff(() =>
      keys.issue({ owner: newOwner(), name: named('timed'), expiresIn: 3600.5 }),
    );
    await withClockOff(() => keys.revoke(id));
    const { rows } = await database.admin.query(
      `select displayed, abs(extract(epoch from created_at - clock_timestamp())) < 600 as created,
         extract(epoch from expires_at - created_at) between 3600.5 and 3600.5 + 600 as expires,
         revoked_at between created_at and clock_timestamp() as revoked
       from campaign_mirror.access_keys where id = $1`,
      [id],
    );
    expect(rows).to.deep.equal([
      { displayed: displayedPart(key), created: true, expires: true, revoked: true },
    ]);
  });

  it('two rotations of a key at once: the second waits for the first, and hears which key took its place', async () => {
    const owner = newOwner();
    const { id } = await keys.issue({ owner, name: named('raced') });
    const holder = await rival(database);
    await holder.run('select from campaign_mirror.access_keys where id = $1 for update', id);
    const both = Promise.all([keys.rotate(id, { grace: 60 }), keys.rotate(id, { grace: 60 })]);
    await untilWaiting(database, both, 2);
    await holder.rollback();
    const answers = await both;
    expect(answers.map(({ kind }) => kind)).to.have.members(['rotated', 'key-replaced']);
    expect(await keys.list({ owner, limit: 9 })).to.have.length(2);
  });

  it("expiry is judged by the clock of the database, whatever the service's own says", async () => {
    const identity = new PostgresIdentity(hotPathOn(new Statements(service.pool)));
    const { key } = await keys.issue({ owner: newOwner(), name: named('valid'), expiresIn: 3600 });
    expect(await withClockOff(() => identity.whoIs(key))).not.to.equal(undefined);
  });

  for (const groupCommit of groupCommits) {
    describe(`KEY_CACHE_SECONDS, GROUP_COMMIT=${groupCommit}`, () => {
      it('by default each request asks the database', async () => {
        const { identity, asked } = counted(groupCommit);
        const { key } = await keys.issue({ owner: newOwner(), name: named('asked') });
        for (let time = 0; time < 3; time++) await identity.whoIs(key);
        expect(asked()).to.equal(3);
      });

      it('a valid key is remembered, an unknown one is not', async () => {
        const { identity, asked } = counted(groupCommit, 3600);
        const { key } = await keys.issue({ owner: newOwner(), name: named('remembered') });
        const caller = await identity.whoIs(key);
        expect(await identity.whoIs(key)).to.deep.equal(caller);
        expect(asked()).to.equal(1);

        const unknown = accessKeyFrom(new Uint8Array(accessKeyBytes));
        for (let time = 0; time < 2; time++) expect(await identity.whoIs(unknown)).to.equal(undefined);
        expect(asked()).to.equal(3);
      });

      it('a key is not held past its expiry', async () => {
        const { identity, asked } = counted(groupCommit, 3600);
        const { id, key } = await keys.issue({ owner: newOwner(), name: named('soon'), expiresIn: 3600 });
        await expireIn(id, '20 milliseconds');
        await identity.whoIs(key);
        await untilExpired(id);
        expect(await identity.whoIs(key)).to.equal(undefined);
        expect(asked()).to.be.greaterThan(1);
      });
    });
  }

  function counted(
    groupCommit: GroupCommitSetting,
    cacheSeconds = 0,
  ): {
    identity: { whoIs(key: AccessKey): Promise<unknown> };
    asked: () => number;
  } {
    let asked = 0;
    class Counted extends Statements {
      override run<Row extends TextRow>(...statement: Parameters<Statements['run']>): Promise<Row[]> {
        asked += 1;
        return super.run<Row>(...statement);
      }
    }
    return {
      identity: new PostgresIdentity(hotPathOn(new Counted(service.pool), groupCommit), { cacheSeconds }),
      asked: () => asked,
    };
  }

  async function expireIn(id: number, interval: string): Promise<void> {
    const text =
      'update campaign_mirror.access_keys set expires_at = clock_timestamp() + $2::interval where id = $1';
    await database.admin.query(text, [id, interval]);
  }

  /** Asks until the database says so: its clock is the one that counts. */
  async function untilExpired(id: number): Promise<void> {
    const text = 'select from campaign_mirror.access_keys where id = $1 and expires_at <= clock_timestamp()';
    await eventually('the end of the key', async () =>
      expect((await database.admin.query(text, [id])).rowCount).to.equal(1),
    );
  }

  /** Our own clock is a year ahead meanwhile. */
  async function withClockOff<T>(call: () => Promise<T>): Promise<T> {
    const now = Date.now;
    Date.now = () => now() + 365 * 24 * 3600 * 1000;
    try {
      return await call();
    } finally {
      Date.now = now;
    }
  }
});
