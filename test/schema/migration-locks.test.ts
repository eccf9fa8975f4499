import { migrate, migrations, openDatabase, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { ClearError } from '../../packages/adapters-cli/src/terminal/clear-error.ts';
import { bringUpToDate } from '../../packages/adapters-persistence/src/migration/bring-up-to-date.ts';
import { openOwnDatabase } from '../../packages/app/src/database/embedded-database.ts';
import { migrateClearly } from '../../packages/app/src/database/prepare-database.ts';
import { command, startCommand } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { applied, earlierDatabase } from '../support/database/earlier-database.ts';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { rejection } from '../support/faults.ts';
import { dataFolder } from '../support/process/data-folder.ts';
import { databaseOf } from '../support/process/lives.ts';
import { startService } from '../support/process/service-process.ts';
import type { Speaker } from '../support/process/speaker.ts';

const all = migrations.map(({ name }) => name);
const [first] = all;
const inTurn = 'select pg_advisory_xact_lock(7236110421)';

const says = (speaker: Speaker, line: RegExp) => speaker.says(() => line.test(speaker.errors) || undefined);

/** As `pg_dump` has it open while it reads. */
async function reader(database: TestDatabase): Promise<Rival> {
  const holder = await rival(database);
  await holder.run('select from campaign_mirror.access_keys');
  return holder;
}

describe('an upgrade while others use the database', () => {
  /** Tries often enough for whatever the test does meanwhile. */
  const retries = { lockTimeout: 100, pause: 10, tries: 10_000 };
  const database = databaseOf('test', () => earlierDatabase());

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
    expect(await applied(database)).to.deep.equal([first]);
    await service.close();
    await holder.rollback();
    await migrating;
    expect(await applied(database)).to.deep.equal(all);
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
      const held = 'another transaction holds what the migration has to change: trying again';
      expect(told).to.deep.equal([`${held} (2 of 3)`, `${held} (3 of 3)`]);
      expect(fault).to.be.instanceOf(ClearError).and.to.have.property('kind', 'away');
      expect((fault as ClearError).message).to.match(
        /^another transaction holds what this is about, or the database \S+ is too slow \(55P03\): nothing was done; repeat it$/,
      );
      expect(await applied(database)).to.deep.equal([first]);
      const { rows } = await database.admin.query(
        "select to_regclass('campaign_mirror.operator_audit') as audit",
      );
      expect(rows).to.deep.equal([{ audit: null }]);
      await holder.rollback();
      await migrate(database.address('owner'));
      expect(await applied(database)).to.deep.equal(all);
    });
  }

  it('a second process waits for its turn, however often the first has to try', async () => {
    const holder = await reader(database);
    const waits = Promise.withResolvers<void>();
    const tried = Promise.withResolvers<void>();
    let secondWaits = false;
    let tries = 0;
    const one = migrate(database.address('owner'), {
      retries,
      onHeld: () => {
        if (secondWaits && ++tries === 3) tried.resolve();
      },
    });
    await waitingOwner(one);
    const two = migrate(database.address('owner'), {
      retries: { ...retries, tries: 1 },
      onWait: waits.resolve,
    });
    await waits.promise;
    secondWaits = true;
    await tried.promise;
    await holder.rollback();
    await Promise.all([one, two]);
    expect(await applied(database)).to.deep.equal(all);
  });

  it('given up while it is committed: it is done, since nobody could say that nothing was', async () => {
    const holder = await holdingTheCommit();
    const giving = new AbortController();
    const bounds = { givenUp: giving.signal, retries: { ...retries, lockTimeout: 0 } };
    const migrating = migrateClearly(database.address('owner'), () => {}, bounds);
    await waitingOwner(migrating);
    giving.abort(new Error('given up'));
    await holder.rollback();
    expect(await migrating).to.equal(true);
    expect(await applied(database)).to.deep.equal(all);
  });

  it('given up while it is committed, and the server does not answer: that is told, in bounded time', async () => {
    const holder = await holdingTheCommit();
    const giving = new AbortController();
    const bounds = { givenUp: giving.signal, retries: { ...retries, lockTimeout: 0 }, commitWait: 50 };
    const migrating = migrateClearly(database.address('owner'), () => {}, bounds);
    await waitingOwner(migrating);
    giving.abort(new Error('given up'));
    const fault = await rejection(migrating);
    expect(fault).to.be.instanceOf(ClearError).and.to.include({ kind: 'away' });
    expect(fault)
      .to.have.property('message')
      .that.matches(/it is unknown whether it was done$/);
    await holder.rollback();
  });

  it('given up before it is committed: nothing is done, however late that is heard', async () => {
    const opened = await openDatabase(database.address('owner'));
    const attempt = bringUpToDate(opened, 1_000, () => {
      throw new Error('given up');
    });
    expect(await rejection(attempt)).to.have.property('message', 'given up');
    await opened.close();
    expect(await applied(database)).to.deep.equal([first]);
  });

  it("the server's own time limits do not end it", async () => {
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      await database.admin.query(`alter database ${database.name} set ${limit} = '100ms'`);
    }
    const holder = await reader(database);
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const longer = { ...retries, lockTimeout: 150 };
    const onHeld = (next: number) => next > 3 && resolve();
    const migrating = migrate(database.address('owner'), { retries: longer, onHeld });
    await Promise.race([enough, migrating]);
    await holder.rollback();
    await migrating;
    expect(await applied(database)).to.deep.equal(all);
  });

  /** Somebody for whom the commit of the migration waits. */
  async function holdingTheCommit(): Promise<Rival> {
    await database.admin.query(`
      create function public.wait_at_the_end() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(1); return null; end
      $$;
      create constraint trigger wait_at_the_end after insert on campaign_mirror.migrations
        deferrable initially deferred for each row execute function public.wait_at_the_end()`);
    const holder = await rival(database);
    await holder.run('select pg_advisory_xact_lock(1)');
    return holder;
  }

  describe('as a process', () => {
    const migrateCommand = () => startCommand(['migrate'], { DATABASE_URL: database.url('owner') });

    it('`migrate` and a service that starts say that they are held up, and go on when they can', async () => {
      const holder = await reader(database);
      const migrating = migrateCommand();
      await says(migrating, /^another transaction holds what .* trying again \(2 of 10\)$/m);
      const service = startService({ DATABASE_URL: database.url('owner') });
      await service.event('migration-awaited');
      await holder.rollback();
      expect((await migrating.ended).code, migrating.errors).to.equal(0);
      expect(migrating.output).to.equal('The schema is up to date.\n');
      await service.event('listening');
      expect((await service.stop()).code).to.equal(0);
    });

    it('a service that starts says so in its log', async () => {
      const holder = await reader(database);
      const service = startService({ DATABASE_URL: database.url('owner') });
      expect(await service.event('migration-awaited')).to.include({ level: 40 });
      expect((await service.stop()).code).to.equal(0);
      await holder.rollback();
      expect(await applied(database)).to.deep.equal([first]);
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
      expect(await applied(database)).to.deep.equal([first]);
    });

    it('`migrate` that waits for what a reader holds ends by Ctrl-C, and nothing was done', async () => {
      const holder = await reader(database);
      const migrating = migrateCommand();
      await waitingOwner(migrating.ended);
      expect(await migrating.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
      expect(migrating.errors).to.equal('Nothing was done.\n');
      await holder.rollback();
      expect(await applied(database)).to.deep.equal([first]);
    });
  });
});

describe('an upgrade of the embedded database by a command', () => {
  it('says that it waits for another process, and Ctrl-C ends that at once', async () => {
    const folder = await dataFolder();
    const embedded = await openOwnDatabase({
      folder: folder.path,
      service: true,
      settings: { fsync: 'off' },
    });
    await migrate(embedded.address('owner'));
    const other = await connect(embedded.address('owner'));
    await other.query('delete from campaign_mirror.migrations where name <> $1', [first]);
    await other.query('begin');
    await other.query(inTurn);
    const listing = startCommand(['campaign', 'list'], { DATA_DIR: folder.path, DEMO: 'off' });
    await says(listing, /^waiting for another process that migrates$/m);
    expect(await listing.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
    expect(listing.errors).to.match(/\nNothing was done\.\n$/);
    await other.end();
    await embedded.close();
    await folder.remove();
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
