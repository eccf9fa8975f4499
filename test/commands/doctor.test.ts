import { stat } from 'node:fs/promises';
import { mock } from 'node:test';
import { migrate, migrationNames, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { emptyDatabase, latin1 } from '../support/database/database-server.ts';
import { replicated } from '../support/database/standby.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';

interface Given {
  readonly as?: Role;
  /** With $ for the name of the database. */
  readonly sql?: string;
  readonly settings?: Record<string, string>;
}

/** With what is amiss: the check, the state, the finding and the advice. */
const cases: [title: string, given: Given, code: number, ...amiss: RegExp[]][] = [
  ['finds nothing amiss with the operator of least privilege', {}, 0],
  ['nor with the service', { as: 'service' }, 0],
  [
    'warns of the owner of the schema',
    { as: 'owner' },
    0,
    /^rights warning .* more power than is needed: owner of the schema use campaign_mirror_operator for commands, /,
  ],
  ['finds nothing amiss with a redirector', { as: 'redirector' }, 0],
  [
    'names the rights that a redirector lacks',
    { as: 'redirector', sql: `revoke select on campaign_mirror.current_mirrors from ${roles.redirector}` },
    1,
    /^rights problem .* redirector needs: select on current_mirrors run /,
  ],
  [
    'names the rights that the operator lacks',
    {
      sql: `revoke usage on sequence campaign_mirror.mirrors_id_seq from ${roles.operator};
        revoke update (clicks) on campaign_mirror.mirrors from ${roles.operator};
        revoke all on function campaign_mirror.prune_history from ${roles.operator}`,
    },
    1,
    /^rights problem .* operator needs: execute on prune_history, update on mirrors.clicks, usage on mirrors_id_seq run ops\/roles.sql in this database, then `\.\/campaign-mirror migrate` as .* campaign_mirror_owner; use campaign_mirror_operator for commands, /,
  ],
  ['a pool that is too large', { settings: { POOL_SIZE: '1000' } }, 1, /^pool problem POOL_SIZE is 1000: /],
  [
    'limits of the database on connections, and what would not outlast a loss of power',
    { sql: 'alter database $ connection limit 7; alter database $ set synchronous_commit = off' },
    1,
    /^pool problem POOL_SIZE is 10: processes, 1, use up to 12 connections, of 7 that .* lower POOL_SIZE/,
    /^durability warning off: .*synchronous_commit /,
  ],
  [
    'parameters of the role that a pooler does not pass on',
    {
      as: 'service',
      sql: `alter database $ set default_transaction_isolation = 'repeatable read'`,
      settings: { DATABASE_POOLER: 'transaction' },
    },
    1,
    /^parameters problem default_transaction_isolation is repeatable read, .* set default_transaction_isolation = 'read committed'$/,
    /^parameters warning statement_timeout is 0, .* alter role campaign_mirror_service set statement_timeout = '5000'$/,
  ],
  [
    'a server that takes no writes',
    { as: 'service', sql: 'alter database $ set default_transaction_read_only = on' },
    1,
    /^writes problem .* set to read only \(default_transaction_read_only\) name the primary in DATABASE_URL or PGHOST, or unset it for the role, the database/,
  ],
];

/** What is said, and what is amiss of it. */
async function examined(settings: Record<string, string>, expected: number) {
  const { code, output, errors } = await command(['doctor', '--json'], settings);
  expect(code, output + errors).to.equal(expected);
  expect(output + errors).not.to.include('MARKED');
  const all = objectsOf(output);
  const lines = all.map(({ check, state, finding, advice }) => `${check} ${state} ${finding} ${advice}`);
  // The server of the tests forgets more than others at a loss of power.
  const amiss = lines.filter(
    (line) => !/^[\w ]+ ok .* null$|^durability warning off: (?!.*synchronous_commit)/.test(line),
  );
  return { checks: all.map(({ check }) => check).join(' '), lines, amiss };
}

describe('doctor', () => {
  const database = databaseOf('test');
  const folder = dataFolderOf('test');

  for (const [title, { as = 'operator', sql = '', settings }, code, ...expected] of cases) {
    it(title, async () => {
      await database.admin.query(sql.replaceAll('$', database.name));
      const { checks, amiss } = await examined({ DATABASE_URL: database.url(as), ...settings }, code);
      expect(amiss, amiss.join('\n')).to.have.length(expected.length);
      for (const [at, pattern] of expected.entries()) expect(amiss[at]).to.match(pattern);
      expect(checks).to.match(
        /^(settings )+database version encoding (migrations schema )?(rights )+(sequences transactions )?origin pool standbys prepared transactions clock writes (mirrors )?(parameters )+durability$/,
      );
    });
  }

  it('tells what it can where the database is away, unknown, in another encoding, or was never migrated', async () => {
    const DATABASE_URL = 'postgres://me:MARKED@127.0.0.1:9/x';
    const away = await examined({ DATABASE_URL, DATABASE_WAIT: '0s' }, 3);
    expect(away.amiss[0]).to.match(/^database problem the database 127\.0\.0\.1:9\/x cannot be reached/);
    expect(away.checks).to.equal('settings database');
    const { output } = await command(['doctor'], { DATABASE_URL, DATABASE_WAIT: '0s' });
    expect(output)
      .to.match(/^ok {7}settings {4}.*DATABASE_URL=\(set\).*\nproblem {2}database /)
      .and.not.include('MARKED');
    const wrong = await examined({ DATABASE_URL: 'mysql://me:MARKED@db/x', PORT: 'x' }, 1);
    expect(wrong.checks).to.equal('settings settings');
    const { url } = await emptyDatabase('admin');
    const unowned = await examined({ DATABASE_URL: url('operator') }, 1);
    expect(unowned.amiss).to.deep.equal([
      `migrations problem the schema is not made, not yet of this version, or without its record; pending migrations: ${migrationNames.join(', ')} run \`./campaign-mirror migrate\` as the owner of the schema; if there was data before, and it is gone, restore a backup (docs/how-to/backup-and-restore.md) instead`,
    ]);
    const other = await examined({ DATABASE_URL: (await emptyDatabase('owner', latin1)).url('owner') }, 1);
    expect(other.checks).to.match(/ durability$/);
    expect(other.amiss).to.include.members([
      "encoding problem the database is in LATIN1 make one: create database NAME template template0 encoding 'UTF8' locale 'C'",
      `migrations problem the schema is not made, not yet of this version, or without its record; pending migrations: ${migrationNames.join(', ')} run \`./campaign-mirror migrate\` as the owner of the schema; if there was data before, and it is gone, restore a backup (docs/how-to/backup-and-restore.md) instead`,
    ]);
  });

  it('clocks that are apart', async () => {
    const real = Date.now;
    const clock = mock.method(Date, 'now', () => real() + 10_799_900);
    const { amiss } = await examined({ DATABASE_URL: database.url('operator') }, 0).finally(() =>
      clock.mock.restore(),
    );
    expect(amiss).to.deep.equal([
      "clock warning the clocks of this machine and of the server are 3 hours apart set both by NTP: keys expire by the server's, the log has this machine's",
    ]);
  });

  it('a synchronous standby that is away, and a prepared transaction that nobody ends', async () => {
    const { primary, remove } = await replicated();
    const admin = await connect(primary.address('postgres'));
    const found = async (check: string, user = 'postgres') => {
      const { host, port } = primary.address(user);
      const DATABASE_URL = `postgres://${user}@${host}:${port}/postgres`;
      const { output } = await command(['doctor', '--json'], { DATABASE_URL });
      const results = objectsOf(output).filter((result) => result.check === check);
      return results.map(({ state, finding, advice }) => `${state} ${finding} ${advice}`).join();
    };
    await migrate(primary.address('postgres'));
    await admin.query('create role plain login');
    for (const [names, result] of [
      ['walreceiver', /^ok .* is walreceiver: commits wait for 1 of these standbys; connected: 1; .* null$/],
      [
        '2 (nobody, walreceiver)',
        /^problem .* is 2 \(nobody, walreceiver\): commits wait for 2 of these standbys; connected: 1; .* start the/,
      ],
    ] as const) {
      await admin.query(`alter system set synchronous_standby_names = '${names}'`);
      await admin.query('select pg_reload_conf()');
      await eventually(names, async () => expect(await found('standbys', 'plain')).to.match(result));
    }
    const waiting = connect(primary.address('postgres')).then(async (client) => {
      await client.query('begin; lock campaign_mirror.mirrors in row exclusive mode');
      await client.query(`prepare transaction 'it''s'`);
      await client.end();
    });
    await eventually('a wait', async () => expect(await found('standbys')).to.match(/ user sees: 1 start/));
    await admin.query('alter system reset synchronous_standby_names');
    await admin.query('select pg_reload_conf()');
    await waiting;
    expect(await found('standbys')).to.match(/^ok nothing is wrong/);
    expect(await found('prepared transactions')).to.match(
      /^problem a prepared transaction of "postgres" .* rollback prepared 'it''s'$/,
    );
    await admin.end();
    await remove();
  });

  it('an embedded database that is not there is not made; the disk that it would lie on has room', async () => {
    const { lines } = await examined({ DATA_DIR: folder.path }, 0);
    expect(lines.at(-2)).to.match(/^disk ok [\d.]+ GiB are free for DATA_DIR/);
    expect(lines.at(-1)).to.match(/^database ok there is no embedded database in /);
    expect(await stat(folder.path).catch(() => 'none')).to.equal('none');
  });
});
