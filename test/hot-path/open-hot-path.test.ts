import { setTimeout as pause } from 'node:timers/promises';
import { defaultPoolLimits, openHotPath } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { lockMirror, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { change } from '../support/store/world.ts';

describe('the ports of the use case, as a program of your own opens them', () => {
  const service = groupedOf('suite');

  it('on a pool without a limit updates wait for the lock of others and for each other; and the use of keys is noted', async () => {
    const limits = { ...defaultPoolLimits, waitTimeout: 0 };
    const { campaigns, identity, uses } = openHotPath(service.pool, { limits });
    const [{ seen, by, keyId }, caller] = await service.live(2);
    expect(await identity.whoIs(caller.key)).to.deep.equal(caller.by);
    expect(await campaigns.find(seen.id)).to.deep.equal(seen);
    const set = () => campaigns.setMirror(seen, change(by));
    const holder = await service.hold(lockMirror, seen.id);
    const first = set();
    await untilWaiting(service.database, first);
    const second = set();
    // That it waits cannot be seen, only that it is not refused meanwhile.
    await pause(20);
    await holder.rollback();
    for (const one of [first, second]) expect(await one).to.have.property('kind', 'mirror-set');
    await uses.stop();
    const used = 'select from campaign_mirror.key_uses where access_key_id = any ($1)';
    expect(await service.database.admin.query(used, [[keyId, caller.keyId]])).to.have.property('rowCount', 2);
  });

  it('statements are kept on their connections, unless a pooler does without', async () => {
    const [{ seen, by }] = await service.live(1);
    const kept = `select from pg_prepared_statements where name = 'set-mirrors'`;
    for (const [options, count] of [
      [{ prepared: false }, 0],
      [{}, 1],
    ] as const) {
      const { pool } = await service.another();
      const { campaigns, uses } = openHotPath(pool, options);
      expect(await campaigns.setMirror(seen, change(by))).to.have.property('kind', 'mirror-set');
      await uses.stop();
      expect(await pool.query(kept)).to.have.property('rowCount', count);
    }
  });
});
