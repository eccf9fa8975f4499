import { defaultPoolLimits, openHotPath } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { lockMirror, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { unknownKey } from '../support/secrets.ts';
import { setAddress } from '../support/store/grouped.ts';
import { change, type Live } from '../support/store/world.ts';

const address = 'https://example.com/new';
const first = 'https://example.com/first';

describe('one statement for a request: the write proves who calls and what is judged', () => {
  const service = groupedOf('suite');
  let live: Live;
  beforeEach(async () => {
    [live] = await service.live(1);
    await service.set(live, first);
    service.ran.length = 0;
  });

  /** What a call comes to, and the statements that it took. */
  async function called(to = address, who: Pick<Live, 'seen' | 'key'> = live): Promise<unknown[]> {
    const outcome = await service.set(who, to);
    const kind = 'because' in outcome ? outcome.because : outcome.kind;
    const names = service.ran.splice(0).map(({ name }) => name);
    // Of two at the same time, either can be answered first.
    return [kind, ...names.sort()];
  }

  it('statements a request: one, and two for a 200 where the key is used for the first time', async () => {
    const [other, stranger] = await service.live(2);
    expect(await called()).to.deep.equal(['mirror-set', 'set-mirrors']);
    expect(await called(address, other)).to.deep.equal(['mirror-set', 'find-keys', 'set-mirrors']);
    expect(await called('ftp://a.example/')).to.deep.equal(['not-http', 'find-campaigns', 'find-keys']);
    const ofAnother = { seen: other.seen, key: live.key };
    expect(await called(address, ofAnother)).to.deep.equal(['not-the-owner', 'set-mirrors']);
    expect(await called('ftp://a.example/', ofAnother)).to.deep.equal([
      'not-the-owner',
      'find-campaigns',
      'find-keys',
    ]);
    const unused = { seen: other.seen, key: stranger.key };
    expect(await called(address, unused)).to.deep.equal(['not-the-owner', 'find-keys', 'set-mirrors']);
    const unknown = { seen: other.seen, key: unknownKey };
    for (const to of [address, 'ftp://a.example/'])
      expect(await called(to, unknown)).to.deep.equal(['unauthenticated', 'find-keys']);
    await service.world.others.setDefault(other.seen.id, true);
    expect(await called(address, other)).to.deep.equal(['default-campaign', 'set-mirrors']);
    await service.world.others.deleteMirror(live.seen.id);
    expect(await called()).to.deep.equal(['mirror-not-created', 'set-mirrors']);
    await service.world.others.deleteCampaign(live.seen.id);
    expect(await called()).to.deep.equal(['campaign-not-found', 'set-mirrors']);
  });

  it('a revocation: neither who waits for a row already, nor who comes after it, may write', async () => {
    const holder = await service.hold(lockMirror, live.seen.id);
    const waiting = service.set(live, `${address}/before`);
    await untilWaiting(service.database, waiting);
    await service.world.accessKeys.revoke({ ids: [live.keyId] });
    const later = service.set(live, `${address}/after`);
    await holder.run(setAddress, live.seen.id, 'https://example.com/rival');
    await holder.commit();
    const revoked = { because: 'revoked-key', subject: `key:${live.keyId}` };
    for (const call of [waiting, later])
      expect(await call).to.deep.equal({ kind: 'unauthenticated', ...revoked });
    expect((await service.history(live)).map((row) => row.addressAfter)).to.deep.equal([first]);
  });

  it('statements are kept on their connections, unless a pooler does without', async () => {
    const { seen, by } = live;
    const kept = `select from pg_prepared_statements where name = 'set-mirrors'`;
    for (const [options, count] of [
      [{ prepared: false }, 0],
      [{}, 1],
    ] as const) {
      const { pool } = await service.another();
      const { campaigns } = openHotPath(pool, options);
      expect(await campaigns.setMirror(seen, change(by))).to.have.property('kind', 'mirror-set');
      expect(await pool.query(kept)).to.have.property('rowCount', count);
    }
  });

  it('on a pool that sets no limit, updates wait for the lock of others, and for each other', async () => {
    const limits = { ...defaultPoolLimits, waitTimeout: 0 };
    const { campaigns } = openHotPath((await service.another()).pool, { limits });
    const holder = await service.hold(lockMirror, live.seen.id);
    const waiting = Promise.all([1, 2].map(() => campaigns.setMirror(live.seen, change(live.by))));
    await untilWaiting(service.database, waiting);
    await holder.rollback();
    for (const one of await waiting) expect(one).to.have.property('kind', 'mirror-set');
  });
});
