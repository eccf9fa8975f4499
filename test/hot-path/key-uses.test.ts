import { roles } from '@campaign-mirror/adapters-persistence';
import type { AccessKeyId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { KeyUses } from '../../packages/adapters-persistence/src/hot-path/key-uses.ts';
import { untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';
import { hotPathBy } from '../support/store/hot-paths.ts';
import { change, type Live } from '../support/store/world.ts';

/** A write that only `write` and `stop` begin. */
const byHand = { gatherFor: 2 ** 30 };

describe('when a key was last used', () => {
  const service = groupedOf('suite');

  function observed(options = byHand) {
    const uses = new KeyUses(service.pool, options);
    const { identity } = hotPathBy(service.pool, { uses });
    const use = async ({ by, key }: Live) => expect(await identity.whoIs(key)).to.deep.equal(by);
    return { uses, use };
  }

  /** On a pool that does nothing but hear which keys are written, for as long as `query` takes. */
  function onPool(options: { gatherFor: number }, query = async () => {}) {
    const written: number[][] = [];
    const pool = {
      query: (_: string, [ids]: [number[]]) => {
        written.push(ids);
        return query();
      },
    };
    return { written, uses: new KeyUses(pool as unknown as Pool, options) };
  }

  /** `xmin` is another one with every write of the row. */
  async function stored({ keyId }: Live) {
    const { rows } = await service.database.admin.query(
      `select xmin, used_at > now() - interval '1 minute' as fresh from campaign_mirror.key_uses
       where access_key_id = $1`,
      [keyId],
    );
    return rows[0];
  }
  const expectFresh = async (live: Live) => expect(await stored(live)).to.have.property('fresh', true);

  it('is written once in a minute, whatever this process and others do, and again after it', async () => {
    const [one, other] = [observed(), observed()];
    const [key, another, unused] = await service.live(3);
    for (const live of [key, another, unused]) await other.use(live);
    await other.uses.write();
    await one.use(key);
    await one.uses.write();
    await expectFresh(key);
    const first = await stored(key);
    for (const { use, uses } of [one, other, observed()]) {
      await use(key);
      await uses.write();
    }
    expect(await stored(key), 'the same version of the row').to.deep.equal(first);

    await service.database.admin.query(
      "update campaign_mirror.key_uses set used_at = now() - interval '61 s'",
    );
    const later = observed();
    for (const live of [key, another]) await later.use(live);
    await later.uses.write();
    for (const live of [key, another]) await expectFresh(live);
    expect(await stored(unused), 'of a key that was not used').to.have.property('fresh', false);
  });

  it('is noted by a write that proves the key; not for one that was revoked meanwhile', async () => {
    const { campaigns, uses } = hotPathBy(service.pool);
    const [{ seen, by }, stranger, revoked] = await service.live(3);
    await service.world.accessKeys.revoke(revoked.keyId);
    await campaigns.setMirror(revoked.seen, change(revoked.by));
    expect(uses.noted).to.equal(0);
    await campaigns.setMirror(seen, change(by));
    expect(uses.noted).to.equal(1);
    // The campaign is another owner's: the key is proven all the same.
    await campaigns.setMirror({ ...seen, ownerId: stranger.seen.ownerId }, change(stranger.by));
    expect(uses.noted).to.equal(2);
  });

  it('a row that somebody holds is not waited for; the other keys are written', async () => {
    const { uses, use } = observed();
    const [held, free] = await service.live(2);
    const used = "insert into campaign_mirror.key_uses values ($1, now() - interval '61 s')";
    await service.database.admin.query(used, [held.keyId]);
    const locked = 'select from campaign_mirror.key_uses where access_key_id = $1 for update';
    const holder = await service.hold(locked, held.keyId);
    for (const key of [held, free]) await use(key);
    await uses.write();
    await expectFresh(free);
    await holder.rollback();
    expect(await stored(held)).to.have.property('fresh', false);
  });

  it('what cannot be written is counted, and the answers are the same', async () => {
    const right = 'execute on function campaign_mirror.note_key_uses';
    await service.database.admin.query(`revoke ${right} from ${roles.service}`);
    const { uses, use } = observed({ gatherFor: 0 });
    const [key] = await service.live(1);
    await use(key);
    await eventually('a failure', () => expect(uses.failures).to.equal(1));
    await use(key);
    await uses.write();
    expect(uses.failures, 'not tried again within the minute').to.equal(1);
    await service.database.admin.query(`grant ${right} to ${roles.service}`);
  });

  it('at the end what was noted is written, and a database that does not answer is not waited for', async () => {
    const { uses, use } = observed();
    const [unwritten, ...keys] = await service.live(4);
    for (const key of keys) await use(key);
    expect(await uses.stop()).to.equal(true);
    for (const key of keys) await expectFresh(key);

    const late = observed();
    await late.use(unwritten);
    const holder = await service.hold('lock table campaign_mirror.access_keys in access exclusive mode');
    const writing = late.uses.write();
    await untilWaiting(service.database, writing);
    expect(await late.uses.stop(1)).to.equal(false);
    await holder.rollback();
    await writing;
  });

  it('a burst of uses is one statement for all the keys, of which it gathers 10,000 at most', async () => {
    const { written, uses } = onPool(byHand);
    const note = (last: number) => {
      for (let id = 1; id <= last; id++) uses.note(id as AccessKeyId);
    };
    for (let time = 0; time < 3; time++) note(2);
    await uses.write();
    note(2);
    await uses.write();
    expect(written).to.deep.equal([[1, 2]]);
    note(10_003);
    await uses.write();
    expect(written.map(({ length }) => length)).to.deep.equal([2, 10_000]);
    expect(uses.noted).to.equal(10_002);
  });

  it('is written after the write that was under way when it was noted, and after all is written, too', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { written, uses } = onPool({ gatherFor: 0 }, () => ended);
    const areWritten = (...ids: number[]) =>
      eventually('the uses', () => expect(written.flat()).to.deep.equal(ids));
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
});
