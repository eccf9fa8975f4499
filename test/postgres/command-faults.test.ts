import { expect } from 'chai';
import { command, refused, startCommand } from '../support/commands/command.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';

/** Each waits for the campaign or the key 1. */
const writers = [
  ['campaign', 'transfer', '1', '--to', '2'],
  ['campaign', 'delete', '1', '--yes'],
  ['mirror', 'create', '1', '--target-url', 'https://example.com/'],
  ['key', 'revoke', '1'],
  ['key', 'rotate', '1'],
];
const readers = [
  ['campaign', 'list'],
  ['campaign', 'show', '1'],
  ['key', 'list'],
];

describe('commands: what is told when the database does not do it', () => {
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

  /** What these say that wait for a rival's locks when the server does this to their sessions. */
  async function interrupted(commands: string[][], does: 'pg_cancel_backend' | 'pg_terminate_backend') {
    const other = await rival(
      database,
      'lock table campaign_mirror.campaigns, campaign_mirror.access_keys in access exclusive mode',
    );
    const done = [];
    try {
      for (const words of commands) {
        const running = startCommand(words, settings());
        await untilWaiting(database, running.ended);
        await database.admin.query(
          `select ${does}(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        done.push(await running.done());
      }
    } finally {
      await other.rollback();
    }
    return done;
  }

  it('a statement that waited for another transaction too long, or for a lock: nothing was done, and it says so', async () => {
    const was = await facts();
    const told = (words: string) =>
      `${name()}, user "campaign_mirror_operator": canceling statement due to ${words}: nothing was done; ` +
      'another transaction holds what this is about, or the database is too slow: repeat it\n';
    // As the server's own timer does it.
    const done = await interrupted(writers, 'pg_cancel_backend');
    expect(done).to.deep.equal(writers.map(() => refused(told('user request (57014)'), 3)));
    await set("set lock_timeout = '1ms'");
    const other = await rival(database, 'select from campaign_mirror.access_keys for update');
    expect(await run('key', 'revoke', '1')).to.deep.equal(refused(told('lock timeout (55P03)'), 3));
    await other.rollback();
    expect(await facts()).to.deep.equal(was);
  });

  it('a connection that is lost: it is unknown whether it was done; what only reads changed nothing', async () => {
    const told = (what: string) => refused(`${name()} became unavailable (57P01): ${what}\n`, 3);
    expect(await interrupted([['key', 'revoke', '1']], 'pg_terminate_backend')).to.deep.equal([
      told('it is unknown whether this was done: check it, then repeat it'),
    ]);
    expect(await interrupted(readers, 'pg_terminate_backend')).to.deep.equal(
      readers.map(() => told('there is more to show, and nothing was changed; run it again')),
    );
  });

  it('a server that takes no writes: nothing was done or moved, and where to go; what only reads is answered', async () => {
    await database.admin.query(
      "insert into campaign_mirror.mirrors (campaign_id, target_url) values (1, 'https://old.example/')",
    );
    const was = await facts();
    await set('set default_transaction_read_only = on');
    const unwritable = 'cannot execute .+ in a read-only transaction \\(25006\\)';
    const primary = 'name the primary in DATABASE_URL or PGHOST';
    const told = new RegExp(`^${name()}, user "\\w+": ${unwritable}: nothing was done; ${primary}\n$`);
    const tells = ({ code, output, errors }: Awaited<ReturnType<typeof run>>, line: RegExp) => {
      expect([code, output]).to.deep.equal([3, '']);
      expect(errors).to.match(line);
    };
    for (const words of writers) tells(await run(...words), told);
    tells(await command(['migrate'], { DATABASE_URL: database.url('owner') }), told);
    const move = ['mirror', 'move', '--from-host', 'old.example', '--to-host', 'new.example', '--yes'];
    const moved = `0 mirrors were moved for certain; ${primary}`;
    tells(await run(...move), new RegExp(`^${name()}, user "\\w+": ${unwritable}: ${moved}\n$`));
    for (const words of [readers[0] ?? [], [...move, '--dry-run']])
      expect((await run(...words)).code, words.join(' ')).to.equal(0);
    expect(await facts()).to.deep.equal(was);
  });

  it('a server that has no connection left: one line', async () => {
    await set('connection limit 0');
    const { errors } = await run('campaign', 'list');
    expect(errors).to.match(
      /: too many connections for database "\w+" \(53300\): nothing was done; end sessions, or raise its limit \(max_/,
    );
  });
});
