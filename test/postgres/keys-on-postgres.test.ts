import {
  type Database,
  openDatabase,
  PostgresAccessKeys,
  PostgresIdentity,
  Statements,
} from '@campaign-mirror/adapters-persistence';
import { type AccessKeyId, accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database-server.ts';
import { hotPathOn } from '../support/hot-paths.ts';
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

  it('KEY_CACHE_SECONDS: a valid key is remembered for so long, counted from before it was asked for, and not past its expiry', async () => {
    const key = accessKeyFrom(new Uint8Array(accessKeyBytes));
    const found = { id: 1 as AccessKeyId, ownerId: newOwner(), useToNote: false };
    const never = Number.POSITIVE_INFINITY;
    for (const [what, cacheSeconds, expiresIn, lasts] of [
      ['remembered', 60, never, 59_000],
      ['remembered until it expires', 60, 5_000, 4_000],
      ['not remembered by default', 0, never, -1],
      ['unknown', 60, undefined, -1],
    ] as const) {
      let asked = 0;
      const clock = { time: 1, now: () => clock.time };
      const lookUp = async () => {
        asked += 1;
        clock.time += 1_000;
        return expiresIn === undefined ? undefined : { ...found, expiresIn };
      };
      const identity = new PostgresIdentity({ key: lookUp }, { cacheSeconds, clock });
      const caller = await identity.whoIs(key);
      const since = clock.time;
      if (lasts >= 0) {
        clock.time = since + lasts;
        expect(await identity.whoIs(key), what).to.deep.equal(caller);
        expect(asked, what).to.equal(1);
      }
      clock.time = since + lasts + 1;
      await identity.whoIs(key);
      expect(asked, what).to.equal(2);
    }
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
