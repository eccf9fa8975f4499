import { migrate, openDatabase, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { ClearError } from '../../packages/adapters-cli/src/terminal/errors.ts';
import { migrateClearly } from '../../packages/app/src/database/prepare-database.ts';
import { startCommand } from '../support/commands/command.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { endWaiting, rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';

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

  it('what it changes stays held: it is given up after a bounded number of tries, and nothing was done', async () => {
    // Whatever it calls itself.
    const holder = await rival(database, `set application_name = 'campaign-mirror migrations'; ${reads}`);
    const told: string[] = [];
    const fault = await rejection(
      migrateClearly(database.address('owner'), (line) => void told.push(line), {
        retries: { lockTimeout: 200, pause: 1, tries: 3 },
      }),
    );
    expect(told).to.have.length(2);
    expect(told[1]).to.match(
      /^process \d+ \(campaign-mirror migrations of \S+\) holds what the migration has to change: .* \(3 of 3\)$/,
    );
    expect(fault).to.be.instanceOf(ClearError).and.to.have.property('kind', 'away');
    expect((fault as ClearError).message).to.match(
      /^another transaction holds what this is about, or the database \S+ is too slow \(55P03\): nothing was done; repeat it$/,
    );
    expect(await isChanged()).to.equal(false);
    await holder.rollback();
    await migrate(database.address('owner'));
    expect(await isChanged()).to.equal(true);
  });

  it('`migrate` says that it waits for another process; Ctrl-C ends one that waits at once, and nothing was done', async () => {
    const start = () => startCommand(['migrate'], { DATABASE_URL: database.url('owner') });
    const holder = await holding(reads);
    const held = start();
    await waitingOwner(held.ended);
    const second = start();
    await second.says(
      () => /^process \d+ \(.* of \w+\) holds what .*: trying again/m.test(second.errors) || undefined,
    );
    for (const one of [held, second]) {
      expect(await one.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
      expect(one.output).to.equal('');
      expect(one.errors).to.match(/Nothing was done\.\n$/);
    }
    await holder.rollback();
    expect(await isChanged()).to.equal(false);
  });

  it('given up while it is committed: it is done, or, where the server does not answer, nobody knows, told in bounded time', async () => {
    await database.admin.query(`
      create function public.wait_at_the_end() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(1); return null; end
      $$;
      create table public.done ();
      grant insert on public.done to public;
      create constraint trigger wait_at_the_end after insert on public.done
        deferrable initially deferred for each row execute function public.wait_at_the_end();
      create function public.tell_the_end() returns event_trigger language plpgsql as $$
        begin insert into public.done default values; end
      $$;
      create event trigger tell_the_end on ddl_command_end when tag in ('REVOKE')
        execute function public.tell_the_end()`);
    const holder = await holding('select pg_advisory_xact_lock(1)');
    const givenUp = async (commit = 300_000) => {
      const giving = new AbortController();
      const migrating = migrateClearly(database.address('owner'), () => {}, {
        givenUp: giving.signal,
        retries: { ...retries, lockTimeout: 0, commit },
      });
      await waitingOwner(migrating);
      giving.abort(new Error('given up'));
      return { migrating };
    };
    const fault = await rejection((await givenUp(50)).migrating);
    expect(fault).to.be.instanceOf(ClearError).and.to.have.property('kind', 'away');
    expect((fault as ClearError).message).to.match(/it is unknown whether it was done$/);
    await endWaiting(database, [roles.owner]);

    const { migrating } = await givenUp();
    expect(await isChanged(), 'its end is waited for').to.equal(false);
    await holder.rollback();
    expect(await migrating).to.equal(true);
    expect(await isChanged()).to.equal(true);
  });
});
