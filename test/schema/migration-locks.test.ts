import { migrate, openDatabase, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { StartedCommand } from '../support/commands/command.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';

/** A database in which each migration also alters a table. */
async function databaseToChange(): Promise<TestDatabase> {
  const database = await freshDatabase();
  await database.admin.query(`
    create function public.change_a_table() returns event_trigger language plpgsql as $$
      begin alter table campaign_mirror.access_keys add column if not exists changed boolean; end
    $$;
    create event trigger change_a_table on ddl_command_end when tag in ('REVOKE')
      execute function public.change_a_table()`);
  return database;
}

describe('upgrade: a migration waits for its locks without blocking lookups', () => {
  const retries = { lockTimeout: 400, pause: 10, tries: 10_000 };
  const database = databaseOf('test', databaseToChange);
  const waitingOwner = (call: Promise<unknown>) => untilWaiting(database, call, 1, [roles.owner]);
  const isChanged = async () => {
    const column = `select from pg_attribute where attrelid = 'campaign_mirror.access_keys'::regclass and attname = 'changed'`;
    return (await database.admin.query(column)).rowCount === 1;
  };
  /** Reads as `pg_dump` does, and keeps its lock. */
  const reader = () =>
    rival(database, `set application_name = 'pg_dump'; select from campaign_mirror.access_keys`);

  it('two migrations retry while a reader stays, and both end when it is gone', async () => {
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await database.admin.query(`alter database ${database.name} set ${limit} = '300ms'`);
    const holder = await reader();
    const both = [1, 2].map(() => {
      const tried = Promise.withResolvers<void>();
      const onWait = (line: string) => void (line.includes('(3 of') && tried.resolve());
      const done = migrate(database.address('owner'), { retries, onWait });
      return { tried: Promise.race([tried.promise, done]), done };
    });
    await Promise.all(both.map(({ tried }) => tried));
    await waitingOwner(Promise.all(both.map(({ done }) => done)));
    const service = await openDatabase(database.address('owner'));
    expect(await isChanged()).to.equal(false);
    await service.pool.query('select count(*) from campaign_mirror.access_keys');
    await service.close();
    await holder.rollback();
    await Promise.all(both.map(({ done }) => done));
    expect(await isChanged()).to.equal(true);
  });

  it('`migrate` names the process that it waits for, and Ctrl-C ends it', async () => {
    const holder = await reader();
    const running = new StartedCommand(['migrate'], { DATABASE_URL: database.url('owner') });
    const waits = /^process \d+ \(.* of \w+\) holds .*: trying again/m;
    await running.says(() => waits.test(running.errors) || undefined);
    expect(await running.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
    expect(running.output).to.equal('');
    expect(running.errors).to.match(/Nothing was done\.\n$/);
    await holder.rollback();
    expect(await isChanged()).to.equal(false);
  });
});
