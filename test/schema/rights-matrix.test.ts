import { randomBytes } from 'node:crypto';
import { type Role, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { type Act, actsIn, isGranted } from './acts.ts';

/** What no role of ours may do, the owner of the tables included. */
const beyond = [
  'create role x',
  `alter role ${roles.operator} createrole`,
  `alter role ${roles.service} superuser`,
  'set session_replication_role = replica',
  'select from pg_authid',
  "select pg_read_file('postgresql.conf')",
  "select pg_ls_dir('.')",
  "copy (select 1) to program 'true'",
  "copy (select 1) to '/tmp/x'",
  "select lo_export(0, '/tmp/x')",
  "alter system set log_statement = 'all'",
  'create database x',
  'select pg_reload_conf()',
  "select pg_create_physical_replication_slot('x')",
  'checkpoint',
];

/** A right is missing; or nobody can write to a view whose rows are made of several. */
const refusals = ['42501', '55000'];

const sqlOf = (acts: readonly Act[]) => acts.map(({ sql }) => sql);

describe('contract: the data around it — every role tries everything', () => {
  let database: TestDatabase;
  const stranger = `campaign_mirror_stranger_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(16).toString('hex');

  before(async () => {
    database = await freshDatabase();
    await database.admin.query(`create role ${stranger} login password '${password}'`);
    await database.admin.query('create schema elsewhere');
    await database.admin.query('grant all on schema elsewhere to public');
    await database.admin.query(
      "create function elsewhere.nothing() returns trigger language plpgsql as 'begin return null; end'",
    );
  });
  after(async () => {
    await database.drop();
    const { admin } = await freshDatabase();
    await admin.query(`drop role ${stranger}`);
  });

  for (const role of ['service', 'operator', 'redirector'] as const) {
    it(`the ${role} does what it was granted, and is refused everything else`, async () => {
      const acts = await actsIn(database.admin);
      const granted = sqlOf(acts.filter((act) => isGranted(act, role)));
      expect(granted).to.have.length.above(0);
      expect(await allowed(role, sqlOf(acts))).to.deep.equal(granted);
    });
  }

  it('somebody whom nothing was granted is refused everything', async () => {
    const acts = await actsIn(database.admin);
    expect(new Set(acts.map(({ on }) => on))).to.include.keys('mirrors', 'mirror_history', 'prune_history');
    expect(await allowed('stranger', sqlOf(acts))).to.deep.equal([]);
  });

  for (const role of ['owner', 'service', 'operator', 'redirector'] as const) {
    it(`the ${role} has no power beyond its schema`, async () => {
      const { rows } = await database.admin.query('select current_user as name');
      const others = [...Object.values(roles), rows[0].name].filter((name) => name !== roles[role]);
      const becoming = others.map((name) => `set role ${name}`);
      expect(await allowed(role, [...beyond, ...becoming])).to.deep.equal([]);
    });
  }

  /** Those that the role was not refused for want of a right; what changes a table is taken back. */
  async function allowed(role: Role | 'stranger', statements: readonly string[]): Promise<string[]> {
    const address =
      role === 'stranger'
        ? { ...database.address('owner'), user: stranger, password }
        : database.address(role);
    const client = await connect(address);
    const done: string[] = [];
    try {
      for (const sql of statements) {
        const alone = beyond.includes(sql);
        if (!alone) await client.query('begin');
        const error = await client.query(sql).then(
          () => undefined,
          (error) => error,
        );
        if (!refusals.includes(error?.code)) done.push(sql);
        if (!alone) await client.query('rollback');
      }
    } finally {
      await client.end();
    }
    return done;
  }
});
