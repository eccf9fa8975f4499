import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { undoneBy } from '../../packages/app/src/database/connection-advice.ts';
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

describe('commands: what is told when the database does not do it', () => {
  const database = databaseOf('test');
  beforeEach(async () => {
    await database.admin.query('insert into campaign_mirror.campaigns (owner_id) values (1)');
    await run('key', 'issue', '--owner', '1', '--name', 'held');
  });

  const settings = () => ({ DATABASE_URL: database.url('operator'), DATABASE_WAIT: '0s' });
  const run = (...args: string[]) => command(args, settings());
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
  const holding = async () => {
    const other = await rival(database);
    await other.run('select from campaign_mirror.campaigns for update');
    await other.run('select from campaign_mirror.access_keys for update');
    return other;
  };
  const toThoseThatWait = (what: string) =>
    database.admin.query(
      `select ${what}(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );

  it('a statement that waited for another transaction too long: nothing was done, and it says so', async () => {
    const was = await facts();
    const other = await holding();
    const running = writers.map((words) => startCommand(words, settings()));
    await untilWaiting(database, Promise.all(running.map(({ ended }) => ended)), running.length);
    // As the server's own timer does it.
    await toThoseThatWait('pg_cancel_backend');
    for (const [at, one] of running.entries()) {
      const { code } = await one.ended;
      const { output, errors } = one;
      expect({ code, output, errors }, writers[at]?.join(' ')).to.deep.equal(
        refused(
          `another transaction holds what this is about, or ${name()} is too slow (57014): nothing was done; repeat it\n`,
          3,
        ),
      );
    }
    await other.rollback();
    expect(await facts()).to.deep.equal(was);
  });

  it('a lock that was not had in the time of the server: the same', async () => {
    await database.admin.query(`alter database ${database.name} set lock_timeout = '1ms'`);
    const other = await holding();
    const { code, errors } = await run('key', 'revoke', '1');
    await other.rollback();
    expect(code).to.equal(3);
    expect(errors).to.match(/^another transaction holds .* \(55P03\): nothing was done; repeat it\n$/);
  });

  it('a connection that is lost: it is unknown whether it was done', async () => {
    const other = await holding();
    const running = startCommand(['key', 'revoke', '1'], settings());
    await untilWaiting(database, running.ended);
    await toThoseThatWait('pg_terminate_backend');
    expect((await running.ended).code).to.equal(3);
    await other.rollback();
    expect(running.errors).to.equal(
      `${name()} became unavailable (57P01): it is unknown whether this was done; look at what there is, then repeat it\n`,
    );
  });

  it('what only reads, and loses its connection: there is nothing to be unsure of', async () => {
    const readers = [
      ['campaign', 'list'],
      ['campaign', 'show', '1'],
      ['mirror', 'show', '1'],
      ['key', 'list'],
    ];
    const other = await rival(database);
    await other.run(
      'lock table campaign_mirror.campaigns, campaign_mirror.access_keys in access exclusive mode',
    );
    const running = readers.map((words) => startCommand(words, settings()));
    await untilWaiting(database, Promise.all(running.map(({ ended }) => ended)), running.length);
    await toThoseThatWait('pg_terminate_backend');
    for (const reader of running) {
      expect((await reader.ended).code).to.equal(3);
      expect(reader.errors).to.equal(
        `${name()} became unavailable (57P01): there is more to show, and nothing was changed; run it again\n`,
      );
    }
    await other.rollback();
  });

  it('a server that takes no writes: nothing was done, and where to go; what only reads is answered', async () => {
    const was = await facts();
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    const unwritable = refused(
      `${name()} takes no writes (a standby, or set to read only): nothing was done; name the primary in DATABASE_URL or PGHOST\n`,
      3,
    );
    for (const words of writers) {
      expect(await run(...words), words.join(' ')).to.deep.equal(unwritable);
    }
    expect(await command(['migrate'], { DATABASE_URL: database.url('owner') })).to.deep.equal(unwritable);
    expect((await run('campaign', 'list')).code).to.equal(0);
    expect(await facts()).to.deep.equal(was);
  });

  it('a move on a server that takes no writes: how many were moved', async () => {
    await database.admin.query(
      "insert into campaign_mirror.mirrors (campaign_id, target_url) values (1, 'https://old.example/')",
    );
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    const move = ['mirror', 'move', '--from-host', 'old.example', '--to-host', 'new.example'];
    expect(await run(...move)).to.deep.equal(
      refused(
        'the database takes no writes (a standby, or set to read only): 0 mirrors were moved; ' +
          'name the primary in DATABASE_URL or PGHOST, then run it again to go on\n',
        3,
      ),
    );
    expect((await run(...move, '--dry-run')).code).to.equal(0);
  });

  it('a server without a connection left', async () => {
    await database.admin.query(`alter database ${database.name} connection limit 0`);
    expect(await run('campaign', 'list')).to.deep.equal(
      refused(`${name()} has no connection left (53300): nothing was done; make room there\n`, 3),
    );
  });

  it('sslmode=require and the like: an error is one line, without a warning of the driver', async () => {
    for (const mode of ['require', 'verify-full']) {
      const { code, errors } = await command(['campaign', 'list'], {
        ...settings(),
        DATABASE_URL: `${database.url('operator')}?sslmode=${mode}`,
      });
      expect(code).to.equal(3);
      expect(errors, mode).to.match(/^the database .* does not speak TLS[^\n]*\n$/);
    }
  });
});

describe('commands: after which faults of the database nothing is done for certain', () => {
  const fault = (code: string) =>
    new Unavailable('the database did not answer', {
      cause: Object.assign(new pg.DatabaseError('x', 1, 'error'), { code }),
    });

  it('what the server itself undid', () => {
    const slow = /^another transaction holds what this is about, or the database is too slow \(\w{5}\)$/;
    for (const code of ['57014', '55P03', '40001', '40P01']) {
      expect(undoneBy(fault(code))?.what).to.match(slow);
    }
    expect(undoneBy(fault('53100'))).to.deep.equal({
      what: 'the database has no disk space or memory left (53100)',
      remedy: 'make room there',
    });
    expect(undoneBy(fault('53200'))?.what).to.equal('the database has no disk space or memory left (53200)');
    expect(undoneBy(new Unavailable('others came first'))).to.deep.equal({ what: 'others came first' });
  });

  it('not so what may have been committed', () => {
    for (const code of ['08000', '08006', '40003', '57P01', '57P02', '57P03', 'ECONNRESET', 'EPIPE']) {
      expect(undoneBy(fault(code)), code).to.equal(undefined);
    }
    const late = new Unavailable('the database did not answer', { cause: new Error('Query read timeout') });
    expect(undoneBy(late)).to.equal(undefined);
  });
});
