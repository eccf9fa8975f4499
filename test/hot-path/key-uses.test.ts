import {
  type Database,
  openDatabase,
  PostgresAccessKeys,
  roles,
} from '@campaign-mirror/adapters-persistence';
import { type AccessKey, type AccessKeyId, keySubject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import { KeyUses } from '../../packages/adapters-persistence/src/hot-path/key-uses.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { eventually } from '../support/eventually.ts';
import { grouped } from '../support/store/grouped.ts';
import { hotPathOn } from '../support/store/hot-paths.ts';
import { named, tester } from '../support/store/operator.ts';
import { change, type Live, newOwner } from '../support/store/world.ts';

/** A write that only `write` and `stop` begin. */
const byHand = { gatherFor: 2 ** 30 };

describe('when a key was last used', () => {
  let database: TestDatabase;
  let service: Database;
  let operator: Database;

  before(async () => {
    database = await freshDatabase();
    service = await openDatabase(database.address('service'));
    operator = await openDatabase(database.address('operator'));
  });
  after(async () => {
    await service.close();
    await operator.close();
    await database.drop();
  });

  it('is written by itself, soon after the answer', async () => {
    const { uses, use } = observed({ gatherFor: 0 });
    const key = await issued();
    await use(key);
    await eventually('the use', async () => expect((await stored(key)).last_used_at).not.to.equal(null));
    expect(uses.failures).to.equal(0);
  });

  it('is written once in a minute, whatever this process and others do, and again after it', async () => {
    const [one, other] = [observed(byHand), observed(byHand)];
    const key = await issued();
    for (const { use } of [one, one, other]) await use(key);
    await one.uses.write();
    const first = await stored(key);
    expect(first.last_used_at).not.to.equal(null);
    for (const { use, uses } of [one, other, observed(byHand)]) {
      await use(key);
      await uses.write();
    }
    expect(await stored(key), 'the same version of the row').to.deep.equal(first);

    await admin(
      "update campaign_mirror.access_keys set last_used_at = now() - interval '61 s' where id = $1",
      key.id,
    );
    const later = observed(byHand);
    await later.use(key);
    await later.uses.write();
    expect((await stored(key)).xmin).not.to.equal(first.xmin);
    expect(await isFresh(key)).to.equal(true);
  });

  it('is noted by a write that proves the key; not for one that was revoked meanwhile', async () => {
    const { hotPath, world, live, close } = await grouped();
    const uses = new KeyUses(service.pool, byHand);
    const campaigns = new PostgresCampaigns(hotPath, { uses });
    const [{ seen, by }, stranger, revoked] = (await live(3)) as [Live, Live, Live];
    await world.accessKeys.revoke(revoked.keyId);
    await campaigns.setMirror(revoked.seen, change(revoked.by));
    expect(uses.noted).to.equal(0);
    await campaigns.setMirror(seen, change(by));
    expect(uses.noted).to.equal(1);
    // The campaign is another owner's: the key is proven all the same.
    await campaigns.setMirror({ ...seen, ownerId: stranger.seen.ownerId }, change(stranger.by));
    expect(uses.noted).to.equal(2);
    await close();
  });

  it('a burst of uses is one statement for all the keys', async () => {
    const asked: unknown[][] = [];
    const uses = new KeyUses(
      Object.assign(Object.create(service.pool), {
        query: async (_: string, values: unknown[]) => void asked.push(values),
      }),
      byHand,
    );
    const identity = new PostgresIdentity(hotPathOn(new Statements(service.pool)), { uses });
    const keys = [await issued(), await issued()];
    await Promise.all([...keys, ...keys, ...keys].map(({ key }) => identity.whoIs(key)));
    await uses.write();
    for (const { key } of keys) await identity.whoIs(key);
    await uses.write();
    expect(asked.map(([ids]) => [...(ids as number[])].sort())).to.deep.equal([
      keys.map(({ id }) => id).sort(),
    ]);
  });

  it('a row that somebody holds is not waited for; the other keys are written', async () => {
    const { uses, use } = observed(byHand);
    const [held, free] = [await issued(), await issued()];
    const holder = await rival(database);
    await holder.run('select from campaign_mirror.access_keys where id = $1 for update', held.id);
    for (const key of [held, free]) await use(key);
    await uses.write();
    expect((await stored(free)).last_used_at).not.to.equal(null);
    await holder.rollback();
    expect((await stored(held)).last_used_at).to.equal(null);
  });

  it('what cannot be written is counted, and the answers are the same', async () => {
    await database.admin.query(
      `revoke update (last_used_at) on campaign_mirror.access_keys from ${roles.service}`,
    );
    const { uses, use } = observed({ gatherFor: 0 });
    const key = await issued();
    await use(key);
    await eventually('a failure', () => expect(uses.failures).to.equal(1));
    await use(key);
    await uses.write();
    expect(uses.failures, 'not tried again within the minute').to.equal(1);
    await database.admin.query(
      `grant update (last_used_at) on campaign_mirror.access_keys to ${roles.service}`,
    );
  });

  /** Writes that give way to requests that wait for a connection: at so many looks there are some. */
  async function gaveWay(looks: number): Promise<number> {
    let waits = 0;
    let written = 0;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const pool = {
      get waitingCount() {
        waits += 1;
        if (waits > 1_000) resolve();
        return waits <= looks ? 1 : 0;
      },
      query: async () => {
        written = waits;
        resolve();
      },
    };
    new KeyUses(pool as unknown as Database['pool'], { gatherFor: 0 }).note(1 as AccessKeyId);
    // The timer of a note keeps no process alive; this one does meanwhile.
    const alive = setInterval(() => {}, 1_000);
    await done;
    clearInterval(alive);
    return written;
  }

  it('is written as soon as no request waits for a connection, and after a minute even if some do', async () => {
    expect(await gaveWay(3)).to.equal(4);
    expect(await gaveWay(Number.POSITIVE_INFINITY)).to.equal(61);
  });

  it('is written after the write that was under way when it was noted, and after all is written, too', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const written: unknown[] = [];
    const query = async (_: string, [ids]: [unknown[]]) => {
      written.push(...ids);
      await ended;
    };
    const uses = new KeyUses({ query, waitingCount: 0 } as unknown as Database['pool'], { gatherFor: 0 });
    const areWritten = (...ids: number[]) => eventually('the uses', () => expect(written).to.deep.equal(ids));
    uses.note(1 as AccessKeyId);
    await areWritten(1);
    uses.note(2 as AccessKeyId);
    end();
    await areWritten(1, 2);
    await uses.write();
    uses.note(3 as AccessKeyId);
    await areWritten(1, 2, 3);
    await eventually('the counts', () =>
      expect([uses.noted, uses.writes, uses.failures]).to.deep.equal([3, 3, 0]),
    );
  });

  it('is gathered for 10,000 keys at most, however long a write takes', async () => {
    const written: unknown[][] = [];
    const query = async (_: string, [ids]: [unknown[]]) => void written.push(ids);
    const uses = new KeyUses({ query } as unknown as Database['pool'], byHand);
    for (let id = 1; id <= 10_001; id++) uses.note(id as AccessKeyId);
    await uses.write();
    expect(written.map((ids) => ids.length)).to.deep.equal([10_000]);
    expect(uses.noted).to.equal(10_000);
  });

  it('at the end what was noted is written, and a database that does not answer is not waited for', async () => {
    const { uses, use } = observed(byHand);
    const keys = [await issued(), await issued(), await issued()];
    for (const key of keys) await use(key);
    expect(await uses.stop()).to.equal(true);
    for (const key of keys) expect((await stored(key)).last_used_at).not.to.equal(null);

    const late = observed(byHand);
    await late.use(await issued());
    const holder = await rival(database);
    await holder.run('lock table campaign_mirror.access_keys in access exclusive mode');
    const writing = late.uses.write();
    await untilWaiting(database, writing);
    expect(await late.uses.stop(1)).to.equal(false);
    await holder.rollback();
    await writing;
  });

  function observed(options: ConstructorParameters<typeof KeyUses>[1]) {
    const uses = new KeyUses(service.pool, options);
    const identity = new PostgresIdentity(hotPathOn(new Statements(service.pool)), { uses });
    const use = async ({ id, key }: { id: AccessKeyId; key: AccessKey }) =>
      expect(await identity.whoIs(key)).to.include({ subject: keySubject(id) });
    return { uses, use };
  }

  function issued() {
    return new PostgresAccessKeys(operator.orm, tester).issue({ owner: newOwner(), name: named('used') });
  }

  async function admin(text: string, ...values: unknown[]) {
    const { rows } = await database.admin.query(text, values);
    return rows[0];
  }

  /** `xmin` is another one with every write of the row. */
  const stored = ({ id }: { id: AccessKeyId }): Promise<{ xmin: string; last_used_at: Date | null }> =>
    admin('select xmin, last_used_at from campaign_mirror.access_keys where id = $1', id);

  const isFresh = async ({ id }: { id: AccessKeyId }): Promise<boolean> =>
    (
      await admin(
        "select last_used_at > now() - interval '1 minute' as fresh from campaign_mirror.access_keys where id = $1",
        id,
      )
    ).fresh;
});
