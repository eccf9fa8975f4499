import { stat } from 'node:fs/promises';
import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase, latin1 } from '../support/database/database-server.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';

interface Given {
  readonly as?: Role;
  /** Run first, with $ for the name of the database. */
  readonly sql?: string;
  readonly settings?: Record<string, string>;
}

const operatorLacks =
  /operator needs: execute on prune_history, update on mirrors.clicks, usage on mirrors_id_seq run ops\/roles.sql /;
const readOnly =
  /^writes problem .* set to read only \(default_transaction_read_only\) name the primary in DATABASE_URL /;
const cases: [title: string, given: Given, code: number, ...found: RegExp[]][] = [
  ['finds no fault with the operator', {}, 0],
  ['finds no fault with the service', { as: 'service' }, 0],
  ['finds no fault with a redirector', { as: 'redirector' }, 0],
  [
    'warns of the owner of the schema, who has more rights than commands need',
    { as: 'owner' },
    0,
    /^rights warning .* more power than is needed: owner of the schema use campaign_mirror_operator for commands, /,
  ],
  [
    'names the rights that the role lacks',
    {
      sql: `revoke usage on sequence campaign_mirror.mirrors_id_seq from ${roles.operator};
        revoke update (clicks) on campaign_mirror.mirrors from ${roles.operator};
        revoke all on function campaign_mirror.prune_history from ${roles.operator}`,
    },
    1,
    operatorLacks,
  ],
  [
    'finds too few connections, and settings that lose commits in a power failure',
    { sql: 'alter database $ connection limit 7; alter database $ set synchronous_commit = off' },
    1,
    /^pool problem POOL_SIZE is 10: processes, 1, use up to 12 connections, of 7 that .* lower POOL_SIZE/,
    /^durability warning off: .*synchronous_commit /,
  ],
  [
    'warns of a server log that can show addresses and keys of callers',
    { sql: `alter database $ set log_parameter_max_length = -1` },
    0,
    /^server log warning .* as a superuser: `alter database test_\w+ set log_parameter_max_length = '0'`; /,
  ],
  [
    'warns of rights that let every role fill the disk',
    { sql: 'grant execute on function lo_create(oid) to public' },
    0,
    /^rights of everybody warning .* as a superuser: `revoke execute on function lo_create\(oid\) from public`$/,
  ],
  [
    'finds a server that is read only',
    { as: 'service', sql: 'alter database $ set default_transaction_read_only = on' },
    1,
    readOnly,
  ],
];

/** Runs `doctor`: all checks, and the lines of those that are not ok. */
async function examined(settings: Record<string, string>, expected: number) {
  const { code, output, errors } = await command(['doctor', '--json'], settings);
  expect(code, output + errors).to.equal(expected);
  expect(output + errors).not.to.include('MARKED');
  const all = objectsOf(output);
  const lines = all.map(({ check, state, finding, advice }) => `${check} ${state} ${finding} ${advice}`);
  // The server of the tests runs without fsync.
  const found = lines.filter(
    (line) => !/^[\w ]+ ok .* null$|^durability warning off: (?!.*synchronous_commit)/.test(line),
  );
  return { checks: all.map(({ check }) => check), lines, found };
}

describe('doctor: each fault of an installation is named with its remedy', () => {
  const database = databaseOf('test');
  const folder = dataFolderOf('test');

  for (const [title, { as = 'operator', sql = '', settings }, code, ...expected] of cases) {
    it(title, async () => {
      await database.admin.query(sql.replaceAll('$', database.name));
      const { checks, found } = await examined({ DATABASE_URL: database.url(as), ...settings }, code);
      expect(found, found.join('\n')).to.have.length(expected.length);
      for (const [at, pattern] of expected.entries()) expect(found[at]).to.match(pattern);
      expect(checks).to.include.members(['settings', 'rights', 'pool', 'clock', 'writes', 'durability']);
    });
  }

  it('names a database that is unavailable, has no schema, or has another encoding', async () => {
    const DATABASE_URL = 'postgres://me:MARKED@127.0.0.1:9/x';
    const away = await examined({ DATABASE_URL, DATABASE_WAIT: '0s' }, 3);
    expect(away.found[0]).to.match(/^database problem the database 127\.0\.0\.1:9\/x cannot be reached/);
    const wrong = await examined({ DATABASE_URL: 'mysql://me:MARKED@db/x', PORT: 'x' }, 1);
    expect(wrong.checks).to.deep.equal(['settings', 'settings']);
    const other = await examined({ DATABASE_URL: (await emptyDatabase(latin1)).url('owner') }, 1);
    expect(other.found).to.include(
      "encoding problem the database is in LATIN1 make one: create database NAME template template0 encoding 'UTF8' locale 'C'",
    );
    expect(other.found.join('\n')).to.match(
      /^migrations problem .* run `\.\/campaign-mirror migrate` as the owner /m,
    );
  });

  it('makes no embedded database, and says how much disk is free for one', async () => {
    const { lines } = await examined({ DATA_DIR: folder.path }, 0);
    expect(lines.at(-2)).to.match(/^disk ok [\d.]+ GiB are free for DATA_DIR/);
    expect(lines.at(-1)).to.match(/^database ok there is no embedded database in /);
    expect(await stat(folder.path).catch(() => 'none')).to.equal('none');
  });
});
