import { migrate, openDatabase, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { startCommand } from '../support/commands/command.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';

const reads = 'select from campaign_mirror.access_keys';

/** What brings it up to date changes a table, as a migration to come will. */
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

describe('an upgrade while others use the database', () => {
  /** Tries often enough for whatever the test does meanwhile. */
  const retries = { lockTimeout: 400, pause: 10, tries: 10_000 };
  const database = databaseOf('test', databaseToChange);

  const waitingOwner = (call: Promise<unknown>) => untilWaiting(database, call, 1, [roles.owner]);

  /** Whether that table was changed. */
  async function isChanged(): Promise<boolean> {
    const { rows } = await database.admin.query(`
      select exists (
        select from pg_attribute where attrelid = 'campaign_mirror.access_keys'::regclass and attname = 'changed') as changed`);
    return rows[0].changed;
  }

  /** Somebody who goes on holding what a statement takes, as `pg_dump` does while it reads. */
  const holding = (statement: string) => rival(database, `set application_name = 'pg_dump'; ${statement}`);

  it('a reader stays: look-ups are answered, processes try in turn, longer than the server’s own limits, and it is done in the end', async () => {
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      await database.admin.query(`alter database ${database.name} set ${limit} = '300ms'`);
    }
    const holder = await holding(reads);
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

  it('`migrate` says that it waits for another process; Ctrl-C ends one that waits at once, and nothing was done', async () => {
    const start = () => startCommand(['migrate'], { DATABASE_URL: database.url('owner') });
    const holder = await holding(reads);
    const held = start();
    await waitingOwner(held.ended);
    const second = start();
    await second.says(
      () => /^process \d+ \(.* of \w+\) holds .*: trying again/m.test(second.errors) || undefined,
    );
    for (const one of [held, second]) {
      expect(await one.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
      expect(one.output).to.equal('');
      expect(one.errors).to.match(/Nothing was done\.\n$/);
    }
    await holder.rollback();
    expect(await isChanged()).to.equal(false);
  });
});
