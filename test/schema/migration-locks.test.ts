import { migrate, openDatabase, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { ClearError } from '../../packages/adapters-cli/src/terminal/errors.ts';
import { migrateClearly } from '../../packages/app/src/database/prepare-database.ts';
import { command, startCommand } from '../support/commands/command.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { databaseToChange, isChanged } from '../support/database/earlier-database.ts';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { rejection } from '../support/faults.ts';
import { databaseOf } from '../support/process/lives.ts';
import { startService } from '../support/process/service-process.ts';
import type { Speaker } from '../support/process/speaker.ts';

const inTurn = 'select pg_advisory_xact_lock(7236110421)';

const says = (speaker: Speaker, line: RegExp) => speaker.says(() => line.test(speaker.errors) || undefined);

/** As `pg_dump` has it open while it reads. */
async function reader(database: TestDatabase): Promise<Rival> {
  const holder = await rival(database);
  await holder.run("set application_name = 'pg_dump'");
  await holder.run('select from campaign_mirror.access_keys');
  return holder;
}

describe('an upgrade while others use the database', () => {
  /** Tries often enough for whatever the test does meanwhile. */
  const retries = { lockTimeout: 100, pause: 10, tries: 10_000 };
  const database = databaseOf('test', databaseToChange);

  const waitingOwner = (call: Promise<unknown>) => untilWaiting(database, call, 1, [roles.owner]);

  it('a reader stays: whoever looks keys up is answered meanwhile, and the upgrade is done after its end', async () => {
    const holder = await reader(database);
    const service = await openDatabase(database.address('owner'));
    const migrating = migrate(database.address('owner'), { retries });
    await waitingOwner(migrating);
    const { rows } = await service.pool.query(
      'select count(*)::int as count from campaign_mirror.access_keys',
    );
    expect(rows).to.deep.equal([{ count: 0 }]);
    expect(await isChanged(database)).to.equal(false);
    await service.close();
    await holder.rollback();
    await migrating;
    expect(await isChanged(database)).to.equal(true);
  });

  const inTheWay: Record<string, string> = {
    'what the migration changes': 'select from campaign_mirror.access_keys',
    'what the rights are given on': `grant select on campaign_mirror.mirrors to ${roles.redirector}`,
  };
  for (const [what, statement] of Object.entries(inTheWay)) {
    it(`${what} stays held: it is given up after a bounded number of tries, and nothing was done`, async () => {
      const holder = await rival(database);
      await holder.run(statement);
      const told: string[] = [];
      const fault = await rejection(
        migrateClearly(database.address('owner'), (line) => void told.push(line), {
          retries: { lockTimeout: 50, pause: 1, tries: 3 },
        }),
      );
      expect(told.map((line) => /\((. of .)\)$/.exec(line)?.[1])).to.deep.equal(['2 of 3', '3 of 3']);
      expect(fault).to.be.instanceOf(ClearError).and.to.have.property('kind', 'away');
      expect((fault as ClearError).message).to.match(
        /^another transaction holds what this is about, or the database \S+ is too slow \(55P03\): nothing was done; repeat it$/,
      );
      expect(await isChanged(database)).to.equal(false);
      await holder.rollback();
      await migrate(database.address('owner'));
      expect(await isChanged(database)).to.equal(true);
    });
  }

  it('two processes take turns to try', async () => {
    const holder = await reader(database);
    const both = [1, 2].map(() => {
      const tried = Promise.withResolvers<void>();
      const done = migrate(database.address('owner'), { retries, onHeld: () => tried.resolve() });
      return { tried: tried.promise, done };
    });
    await Promise.all(both.map(({ tried }) => tried));
    await holder.rollback();
    await Promise.all(both.map(({ done }) => done));
    expect(await isChanged(database)).to.equal(true);
  });

  it('given up while it is committed: it is done, since nobody could say that nothing was', async () => {
    const { holder, giving, migrating } = await committing();
    giving.abort(new Error('given up'));
    await holder.rollback();
    expect(await migrating).to.equal(true);
    expect(await isChanged(database)).to.equal(true);
  });

  it('given up while it is committed, and the server does not answer: that is told, in bounded time', async () => {
    const { holder, giving, migrating } = await committing(50);
    giving.abort(new Error('given up'));
    const fault = await rejection(migrating);
    expect(fault).to.be.instanceOf(ClearError).and.to.include({ kind: 'away' });
    expect(fault)
      .to.have.property('message')
      .that.matches(/it is unknown whether it was done$/);
    await holder.rollback();
  });

  it("the server's own time limits do not end it", async () => {
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      await database.admin.query(`alter database ${database.name} set ${limit} = '100ms'`);
    }
    const holder = await reader(database);
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const longer = { ...retries, lockTimeout: 150 };
    const onHeld = (_: unknown, next: number) => void (next > 3 && resolve());
    const migrating = migrate(database.address('owner'), { retries: longer, onHeld });
    await Promise.race([enough, migrating]);
    await holder.rollback();
    await migrating;
    expect(await isChanged(database)).to.equal(true);
  });

  /** A migration whose commit waits for somebody. */
  async function committing(commitWait?: number) {
    await database.admin.query(`
      create function public.wait_at_the_end() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(1); return null; end
      $$;
      create constraint trigger wait_at_the_end after insert on campaign_mirror.migrations
        deferrable initially deferred for each row execute function public.wait_at_the_end()`);
    const holder = await rival(database);
    await holder.run('select pg_advisory_xact_lock(1)');
    const giving = new AbortController();
    const migrating = migrateClearly(database.address('owner'), () => {}, {
      givenUp: giving.signal,
      retries: { ...retries, lockTimeout: 0 },
      ...(commitWait && { commitWait }),
    });
    await waitingOwner(migrating);
    return { holder, giving, migrating };
  }

  describe('as a process', () => {
    const migrateCommand = () => startCommand(['migrate'], { DATABASE_URL: database.url('owner') });

    it('`migrate` and a service that starts say who holds them up, and go on when they can', async () => {
      const holder = await reader(database);
      const migrating = migrateCommand();
      await says(migrating, /^process \d+ \(pg_dump of \w+\) holds what .*: trying again \(2 of 10\)$/m);
      const service = startService({ DATABASE_URL: database.url('owner') });
      await service.event('migration-awaited');
      await holder.rollback();
      expect((await migrating.ended).code, migrating.errors).to.equal(0);
      expect(migrating.output).to.equal('The schema is up to date.\n');
      await service.event('listening');
      expect((await service.stop()).code).to.equal(0);
    });

    it('a service that is ended while it waits has changed nothing', async () => {
      const holder = await reader(database);
      const service = startService({ DATABASE_URL: database.url('owner') });
      await service.event('migration-awaited');
      expect((await service.stop()).code).to.equal(0);
      await holder.rollback();
      expect(await isChanged(database)).to.equal(false);
    });

    it('`migrate` says that it waits for another process, and Ctrl-C ends that at once', async () => {
      const holder = await rival(database);
      await holder.run(inTurn);
      const migrating = migrateCommand();
      await says(migrating, /^waiting for another process that migrates$/m);
      expect(await migrating.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
      expect(migrating.errors).to.match(/\nNothing was done\.\n$/);
      expect(migrating.output).to.equal('');
      await holder.rollback();
      expect(await isChanged(database)).to.equal(false);
    });

    it('`migrate` that waits for what a reader holds ends by Ctrl-C, and nothing was done', async () => {
      const holder = await reader(database);
      const migrating = migrateCommand();
      await waitingOwner(migrating.ended);
      expect(await migrating.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
      expect(migrating.errors).to.equal('Nothing was done.\n');
      await holder.rollback();
      expect(await isChanged(database)).to.equal(false);
    });
  });
});

describe('`migrate` by a role that does not own the schema', () => {
  it('is refused, also where all is up to date and the role may look: its grants would do nothing', async () => {
    const database = await freshDatabase();
    const { code, output, errors } = await command(['migrate'], { DATABASE_URL: database.url('operator') });
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(errors).to.match(
      /^the user "campaign_mirror_operator" may not migrate the database [^\n]*as the owner of the schema[^\n]*\n$/,
    );
  });
});
