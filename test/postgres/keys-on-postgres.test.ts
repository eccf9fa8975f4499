import { type Database, openDatabase, PostgresAccessKeys } from '@campaign-mirror/adapters-persistence';
import { displayedPart } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import type { TextRow } from '../../packages/adapters-persistence/src/statements/extended-query.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { hotPathOn } from '../support/store/hot-paths.ts';
import { named, tester } from '../support/store/operator.ts';
import { newOwner } from '../support/store/world.ts';

describe('contract: keys — in PostgreSQL', () => {
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
         extract(epoch from expires_at - created_at) = 3600.5 as expires,
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

  it('what was found once is known without the database, until a look-up finds it invalid; an unknown key never is', async () => {
    let asked = 0;
    class Counted extends Statements {
      override run<Row extends TextRow>(...statement: Parameters<Statements['run']>): Promise<Row[]> {
        asked += 1;
        return super.run<Row>(...statement);
      }
    }
    const identity = new PostgresIdentity(hotPathOn(new Counted(service.pool)));
    const { id, key } = await keys.issue({ owner: newOwner(), name: named('known') });
    expect(await identity.claimedBy(key)).to.equal(undefined);
    const caller = await identity.whoIs(key);
    await keys.revoke(id);
    expect(await identity.claimedBy(key)).to.deep.equal(caller);
    expect(asked).to.equal(1);
    await identity.whoIs(key);
    expect(await identity.claimedBy(key)).to.equal(undefined);
  });

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
