import { type Migrating, migrate, migrationNames, openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { command, startCommandProcess } from '../support/commands/command.ts';
import { emptyDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { eventually, rejection } from '../support/promises.ts';

/** As the version before left it, with a history. */
async function databaseOfBefore(): Promise<TestDatabase> {
  const database = await emptyDatabase('owner');
  const { orm, close } = await openDatabase(database.address('owner'));
  await orm.migrator.up({ to: migrationNames[0] });
  await close();
  await write(database, 1_000);
  return database;
}

const write = ({ admin }: TestDatabase, rows: number) =>
  admin.query(`insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
    select 1, 1, 'operator', 1, 'a', 'b', now(), n from generate_series(1, ${rows}) as n`);

describe('the index of a long history', () => {
  const database = databaseOf('test', databaseOfBefore);
  const index = async () => {
    const text = `select indisvalid from pg_index where indexrelid = to_regclass('campaign_mirror.changes_by_transaction')`;
    return (await database.admin.query(text)).rows[0]?.indisvalid;
  };
  const started = (more: Migrating = {}) => {
    const said: string[] = [];
    const done = migrate(database.address('owner'), { ...more, onWait: (line) => void said.push(line) });
    done.catch(() => {});
    return { said, done };
  };
  /** A transaction that reads nothing that a migration changes; the build of an index waits for it. */
  const dump = () =>
    rival(
      database,
      "set application_name = 'pg_dump'; set transaction isolation level repeatable read; select 1",
    );

  it('is built while others write and migrate; what holds it up is named, and what an interrupted build left is replaced', async () => {
    const holder = await dump();
    const giving = new AbortController();
    const first = started({ givenUp: giving.signal });
    await eventually('it says for whom it waits', () => {
      expect(first.said.at(-1)).to.match(/the transaction of process \d+ \(pg_dump of \w+\) to end$/);
    });
    await write(database, 1);
    giving.abort(new Error('given up'));
    expect(await rejection(first.done)).to.have.property(
      'message',
      'the schema is up to date, but the index of the history is not built: migrate again to build it',
    );
    expect(await index()).to.equal(false);
    const asked = await command(['doctor'], { DATABASE_URL: database.url('operator') });
    expect(asked.output).to.match(/the index of the history is not built/);

    const [second, third] = [started(), started()];
    await eventually('one builds, and one waits for its turn', () => {
      const said = [second, third].map((one) => one.said.at(-1) ?? '').sort();
      expect(said[0]).to.match(/^the index of the history is being built/);
      expect(said[1]).to.match(/^waiting for process \d+ \(campaign-mirror migrations of \w+\), whose turn/);
    });
    await write(database, 1);
    await holder.rollback();
    await Promise.all([second.done, third.done]);
    expect(await index()).to.equal(true);
    const { rows } = await database.admin.query(
      'select count(distinct transaction_id)::int as numbers, count(*)::int as rows from campaign_mirror.mirror_history',
    );
    expect(rows).to.deep.equal([{ numbers: 3, rows: 1_002 }]);
  });

  it('is built by the next migration after a process that built it was killed, whose session goes on', async () => {
    const holder = await dump();
    const killed = startCommandProcess(['migrate'], { DATABASE_URL: database.url('owner') });
    await killed.says(() => /the transaction of process \d+ \(pg_dump/.exec(killed.errors) ?? undefined);
    await killed.stop('SIGKILL');
    const next = started();
    await eventually('the next one builds', () => expect(next.said.at(-1)).to.include('(pg_dump of'));
    await holder.rollback();
    await next.done;
    expect(await index()).to.equal(true);
  });

  it('whoever keeps the turn to migrate is named, whatever it calls itself, and waited for in bounded time', async () => {
    const holder = await rival(
      database,
      "set application_name = 'campaign-mirror migrations'; select pg_advisory_xact_lock(7236110422)",
    );
    const { said, done } = started({ retries: { turn: 300 } });
    expect(await rejection(done))
      .to.have.property('message')
      .that.matches(
        /^process \d+ \(campaign-mirror migrations of \S+\) has the turn to migrate, and did not end/,
      );
    expect(said).to.have.length(1);
    await holder.rollback();
    await started().done;
    expect(await index()).to.equal(true);
  });
});
