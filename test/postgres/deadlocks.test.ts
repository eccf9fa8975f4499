import type { EventEmitter } from 'node:events';
import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { rival, untilWaiting } from '../support/database/rival.ts';
import type { Service } from '../support/process/live-service.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { linesOf } from '../support/store/import-lines.ts';
import { after as afterwards } from '../support/store/world.ts';

describe('a deadlock with a rival, in which PostgreSQL ends our statement (40P01)', () => {
  const service = liveServiceOf('test');
  let admin: string;
  beforeEach(async () => {
    const { rows } = await service.database.admin.query('select current_user as admin');
    admin = rows[0].admin;
    // A session looks for a deadlock once in each of its waits, so long after it began.
    await service.database.admin.query(
      `alter database ${service.database.name} set deadlock_timeout = '10ms'`,
    );
  });

  /** Another who never looks for a deadlock, and so is never the one that is ended. */
  const patientRival = async () => {
    const other = await rival(service.database);
    await other.run("set local deadlock_timeout = '1h'");
    return other;
  };
  const waiting = (call: Promise<unknown>, sessions: number) =>
    untilWaiting(service.database, call, sessions, [roles.service, roles.operator, admin]);

  it('an update is run once more, and succeeds', async () => {
    const live = await service.campaign();
    const ours = await service.another();
    const ended = endings(ours);
    const bystander = await rival(service.database);
    const shareMirror = 'select from campaign_mirror.mirrors where campaign_id = $1 for share';
    await bystander.run(shareMirror, live.seen.id);
    const other = await patientRival();
    await other.run(shareMirror, live.seen.id);
    const call = ours.set(live, afterwards);
    await untilWaiting(service.database, call);
    const gotBoth = other.run('select from campaign_mirror.campaigns where id = $1 for update', live.seen.id);
    await waiting(call, 2);
    // Our second try comes no further than to this one, or it might be at the campaign before the rival wakes up.
    const gate = await rival(service.database);
    const shut = gate.run('lock table campaign_mirror.campaigns in access exclusive mode').catch(() => {});
    await waiting(call, 3);
    // We wait for one after the other: the wait for the rival begins now, with the rival already waiting for us.
    await bystander.rollback();
    // Only our end lets the rival come so far: our second try waits for it now.
    await gotBoth;
    await service.database.admin.query(`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'active' and query like 'lock table%'`);
    await shut;
    await gate.rollback();
    await untilWaiting(service.database, call);
    await other.commit();
    expect(await call).to.have.nested.property('mirror.targetUrl', afterwards);
    expect(ended.filter((code) => code === '40P01')).to.have.length(1);
    expect(await service.world.others.history(live.seen.id)).to.have.length(1);
  });

  it('an import that takes numbers in another order is tried again, and all of it is imported', async () => {
    const take = (id: number) => `insert into campaign_mirror.campaigns (id, owner_id) values (${id}, 9)`;
    const [bystander, other] = [await rival(service.database), await patientRival()];
    await bystander.run(take(5));
    await other.run(take(6));
    const lines = linesOf(...['4', '5', '6'].map((id) => ({ id, owner_id: '1' })));
    const importing = service.world.imports.importAll('some.csv', lines, async () => {});
    await untilWaiting(service.database, importing);
    const gotBoth = other.run(take(4));
    await waiting(importing, 2);
    await bystander.rollback();
    await gotBoth;
    await untilWaiting(service.database, importing);
    await other.rollback();
    expect(await importing).to.deep.equal({ kind: 'imported', campaigns: 3, mirrors: 0 });
  });
});

/** The SQLSTATEs of the errors that the server reports to it. */
function endings({ pool }: Service): string[] {
  const codes: string[] = [];
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.on('errorMessage', ({ code }: { code: string }) => codes.push(code));
  });
  return codes;
}
