import { mock } from 'node:test';
import { displayedPart } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import type { TextRow } from '../../packages/adapters-persistence/src/statements/extended-query.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { hotPathOn } from '../support/store/hot-paths.ts';
import { named } from '../support/store/operator.ts';
import { newOwner } from '../support/store/world.ts';

describe('contract: keys — in PostgreSQL', () => {
  const service = liveServiceOf('suite');
  const issue = (expiresIn?: number) =>
    service.world.accessKeys.issue({
      owner: newOwner(),
      name: named('key'),
      ...(expiresIn && { expiresIn }),
    });

  it('times are by the clock of the database, whatever our own says; ten characters are kept for display', async () => {
    const now = Date.now;
    mock.method(Date, 'now', () => now() + 365 * 24 * 3600 * 1000);
    const { id, key } = await issue(3600.5);
    expect(await service.world.identity.whoIs(key)).not.to.equal(undefined);
    await service.world.accessKeys.revoke(id);
    mock.restoreAll();
    const { rows } = await service.database.admin.query(
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

  it('what was found once is known without the database, until a look-up finds it invalid; an unknown key never is', async () => {
    let asked = 0;
    class Counted extends Statements {
      override run<Row extends TextRow>(...statement: Parameters<Statements['run']>): Promise<Row[]> {
        asked += 1;
        return super.run<Row>(...statement);
      }
    }
    const identity = new PostgresIdentity(hotPathOn(new Counted(service.pool)));
    const { id, key } = await issue();
    expect(await identity.claimedBy(key)).to.equal(undefined);
    const caller = await identity.whoIs(key);
    await service.world.accessKeys.revoke(id);
    expect(await identity.claimedBy(key)).to.deep.equal(caller);
    expect(asked).to.equal(1);
    await identity.whoIs(key);
    expect(await identity.claimedBy(key)).to.equal(undefined);
  });
});
