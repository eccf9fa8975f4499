import type { EventEmitter } from 'node:events';
import { openDatabase, PostgresCampaignImport, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { freshDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import type { Service } from '../support/process/live-service.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { linesOf } from '../support/store/import-lines.ts';
import { tester } from '../support/store/operator.ts';
import { after as afterwards } from '../support/store/world.ts';

/** A rival who locks the mirror first, then wants the campaign, which the update holds while it waits for the mirror. */
describe(`contract: atomicity — a rival locks in the other order`, () => {
  const service = liveServiceOf('suite');

  const shareMirror = 'select from campaign_mirror.mirrors where campaign_id = $1 for share';
  const lockMirror = 'select from campaign_mirror.mirrors where campaign_id = $1 for update';
  const lockCampaign = 'select from campaign_mirror.campaigns where id = $1 for update';

  /** A session looks for a deadlock once in each of its waits, so long after it began. */
  const lookingAfter = async (deadlockTimeout: string): Promise<Service> => {
    await service.database.admin.query(`
      do $$ begin
        execute format('alter database %I set deadlock_timeout = %L', current_database(), '${deadlockTimeout}');
      end $$`);
    return service.another();
  };

  /** The SQLSTATEs of the errors that the server reports to it. */
  const endings = ({ pool }: Service): string[] => {
    const codes: string[] = [];
    const heard = new WeakSet<object>();
    pool.on('acquire', (client) => {
      if (heard.has(client)) return;
      heard.add(client);
      const { connection } = client as unknown as { connection: EventEmitter };
      connection.on('errorMessage', ({ code }: { code: string }) => codes.push(code));
    });
    return codes;
  };

  it('and PostgreSQL ends our statement (40P01): the second try succeeds', async () => {
    const live = await service.campaign();
    const ours = await lookingAfter('10ms');
    const ended = endings(ours);
    const bystander = await rival(service.database);
    await bystander.run(shareMirror, live.seen.id);
    const other = await rival(service.database);
    await other.run("set local deadlock_timeout = '1h'");
    await other.run(shareMirror, live.seen.id);
    const call = ours.set(live, afterwards);
    await untilWaiting(service.database, call);
    const { rows } = await service.database.admin.query('select current_user as admin');
    const gotBoth = other.run(lockCampaign, live.seen.id);
    await untilWaiting(service.database, call, 2, [roles.service, rows[0].admin]);
    // Our second try comes no further than to this one, or it might be at the campaign before the rival wakes up.
    const gate = await rival(service.database);
    const shut = gate.run('lock table campaign_mirror.campaigns in access exclusive mode').catch(() => {});
    await untilWaiting(service.database, call, 3, [roles.service, rows[0].admin]);
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

  it('and PostgreSQL ends the rival: the update goes through at its first try', async () => {
    const live = await service.campaign();
    const ours = await lookingAfter('1h');
    const ended = endings(ours);
    const other = await rival(service.database);
    await other.run("set local deadlock_timeout = '1ms'");
    await other.run(lockMirror, live.seen.id);
    const call = ours.set(live, afterwards);
    await untilWaiting(service.database, call);
    const refused = await other.run(lockCampaign, live.seen.id).catch((error) => error);
    expect(refused).to.have.property('code', '40P01');
    await other.rollback();
    expect(await call).to.have.nested.property('mirror.targetUrl', afterwards);
    expect(ended).not.to.include('40P01');
  });
});

describe('an import that takes numbers in another order than a rival', () => {
  it('and PostgreSQL ends its statement (40P01): it is tried again, and all of it is imported', async () => {
    const database = await freshDatabase();
    const { rows } = await database.admin.query('select current_user as admin');
    await database.admin.query(`alter database ${database.name} set deadlock_timeout = '10ms'`);
    const operator = await openDatabase(database.address('operator'));
    const take = (id: number) => `insert into campaign_mirror.campaigns (id, owner_id) values (${id}, 9)`;
    const [bystander, other] = [await rival(database), await rival(database)];
    await bystander.run(take(5));
    await other.run("set local deadlock_timeout = '1h'");
    await other.run(take(6));
    const lines = linesOf(...['4', '5', '6'].map((id) => ({ id, owner_id: '1' })));
    const imports = new PostgresCampaignImport(operator.pool, tester);
    const importing = imports.importAll('some.csv', lines, async () => {});
    await untilWaiting(database, importing);
    const gotBoth = other.run(take(4));
    await untilWaiting(database, importing, 2, [roles.operator, rows[0].admin]);
    // It waits for one after the other: the wait for the rival begins now, with the rival already waiting for it.
    await bystander.rollback();
    // Only its end lets the rival come so far.
    await gotBoth;
    await untilWaiting(database, importing);
    await other.rollback();
    expect(await importing).to.deep.equal({ kind: 'imported', campaigns: 3, mirrors: 0 });
    await operator.close();
    await database.drop();
  });
});
