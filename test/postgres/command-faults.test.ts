import { expect } from 'chai';
import { command, refused, StartedCommand } from '../support/commands/command.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';

const writers = [
  ['campaign', 'transfer', '1', '--to', '2'],
  ['campaign', 'delete', '1', '--yes'],
  ['mirror', 'create', '1', '--target-url', 'https://example.com/'],
  ['key', 'revoke', '1'],
];

describe('commands on a database that fails', () => {
  const database = databaseOf('test');
  beforeEach(async () => {
    await database.admin.query('insert into campaign_mirror.campaigns (owner_id) values (1)');
    await run('key', 'issue', '--owner', '1', '--name', 'held');
  });

  const settings = () => ({ DATABASE_URL: database.url('operator'), DATABASE_WAIT: '0s' });
  const run = (...args: string[]) => command(args, settings());
  const set = (what: string) => database.admin.query(`alter database ${database.name} ${what}`);
  const name = () => {
    const { host, port } = database.address('operator');
    return `the database ${host}:${port}/${database.name}`;
  };
  const facts = async () => {
    const { rows } = await database.admin.query(`
      select (select json_agg(c) from campaign_mirror.campaigns c) as campaigns,
        (select count(*) from campaign_mirror.mirrors) as mirrors,
        (select json_agg(k) from campaign_mirror.access_keys k) as keys,
        (select count(*) from campaign_mirror.operator_audit) as audit`);
    return rows[0];
  };

  /** Runs the commands while a rival locks the tables, and has the server do this to each session that waits. */
  async function interrupted(commands: string[][], does: 'pg_cancel_backend' | 'pg_terminate_backend') {
    const tables = 'campaign_mirror.campaigns, campaign_mirror.access_keys';
    const other = await rival(database, `lock table ${tables} in access exclusive mode`);
    const done = [];
    try {
      for (const words of commands) {
        const running = new StartedCommand(words, settings());
        await untilWaiting(database, running.ended);
        await database.admin.query(`select ${does}(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`);
        done.push(await running.done());
      }
    } finally {
      await other.rollback();
    }
    return done;
  }

  it('say that nothing was done if PostgreSQL ended their wait for a lock', async () => {
    const was = await facts();
    // As the server's own timer does it.
    const done = await interrupted(writers, 'pg_cancel_backend');
    const told =
      `${name()}, user "campaign_mirror_operator": canceling statement due to user request (57014): ` +
      'nothing was done; ' +
      'another transaction holds what this is about, or the database is too slow: repeat it\n';
    expect(done).to.deep.equal(writers.map(() => refused(told, 3)));
    expect(await facts()).to.deep.equal(was);
  });

  it('say that the outcome is unknown if the connection was lost; a list changed nothing', async () => {
    const told = (what: string) => refused(`${name()} became unavailable (57P01): ${what}\n`, 3);
    expect(
      await interrupted(
        [
          ['key', 'revoke', '1'],
          ['key', 'list'],
        ],
        'pg_terminate_backend',
      ),
    ).to.deep.equal([
      told('it is unknown whether this was done: check it, then repeat it'),
      told('there is more to show, and nothing was changed; run it again'),
    ]);
  });

  it('name the primary on a server that takes no writes; lists and dry runs are answered', async () => {
    await database.admin.query(
      "insert into campaign_mirror.mirrors (campaign_id, target_url) values (1, 'https://old.example/')",
    );
    const was = await facts();
    await set('set default_transaction_read_only = on');
    const unwritable = 'cannot execute .+ in a read-only transaction \\(25006\\)';
    const expectRefused = ({ code, output, errors }: Awaited<ReturnType<typeof run>>, done: string) => {
      expect([code, output]).to.deep.equal([3, '']);
      const told = `${unwritable}: ${done}; name the primary in DATABASE_URL or PGHOST\n$`;
      expect(errors).to.match(new RegExp(`^${name()}, user "\\w+": ${told}`));
    };
    for (const words of writers) expectRefused(await run(...words), 'nothing was done');
    expectRefused(await command(['migrate'], { DATABASE_URL: database.url('owner') }), 'nothing was done');
    const move = ['mirror', 'move', '--from-host', 'old.example', '--to-host', 'new.example', '--yes'];
    expectRefused(await run(...move), '0 mirrors were moved for certain');
    for (const words of [
      ['campaign', 'list'],
      [...move, '--dry-run'],
    ])
      expect((await run(...words)).code, words.join(' ')).to.equal(0);
    expect(await facts()).to.deep.equal(was);
  });
});
