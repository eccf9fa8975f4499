import { readFile } from 'node:fs/promises';
import { migrate, migrationNames } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { enforcementFaults } from '../../packages/adapters-persistence/src/schema/enforced.ts';
import { tableNames } from '../../packages/adapters-persistence/src/schema/tables.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { projectFolder } from '../support/workspace.ts';

/** Rows of version 0001, among them what only a later version refuses. */
const rows = `
  set session_replication_role = replica;
  insert into campaign_mirror.migrations (name) values ('0001-mirrors-with-facts');
  insert into campaign_mirror.campaigns (id, owner_id, is_default, name) values (1, 7, true, 'First'), (2, 7, false, null), (3, 8, false, null);
  insert into campaign_mirror.mirrors (id, campaign_id, owner_id, is_default, target_url, clicks, updated_at, last_change_id) values
    (1, 1, 7, true, 'https://one.example/', 5, '2026-01-01Z', null), (2, 2, 7, false, 'https://two.example/', 6, '2999-01-01Z', 2),
    (3, 3, 8, false, 'javascript:alert(1)', 7, '2026-01-01Z', null);
  insert into campaign_mirror.access_keys (id, hash, displayed, name, owner_id, last_used_at) values
    (1, sha256('1'), 'cm_1', 'used', 7, '2026-11-20 15:36:00.123456Z'), (2, sha256('2'), 'cm_2', 'unused', 7, null);
  insert into campaign_mirror.mirror_history (id, previous_id, campaign_id, mirror_id, actor, subject, owner_id, address_before,
      address_after, changed_at, request_id) values
    (1, null, 2, 2, 'jwt', 'client-4', 7, 'https://a.example/', 'https://b.example/', '2026-01-01Z', 'a request'),
    (2, 1, 2, 2, 'operator', null, 7, 'https://b.example/', 'https://two.example/', '2026-01-02Z', 'r');
  insert into campaign_mirror.operator_audit (id, act, operator, request_id, details) values
    (1, 'key-issued', 'operator ', 'r', '[]'), (2, 'mirrors-moved', 'ada', 'r', '{"from":"a.example","to":"b.example","mirrors":1}');
  select setval('campaign_mirror.campaigns_id_seq', 3), setval('campaign_mirror.mirrors_id_seq', 3),
    setval('campaign_mirror.access_keys_id_seq', 2), setval('campaign_mirror.mirror_history_id_seq', 2),
    setval('campaign_mirror.operator_audit_id_seq', 2)`;

describe('a database of version 0001', () => {
  it('is carried to this version by migrate: no row is lost or changed, when keys were used is kept, and all is enforced', async () => {
    const database = await emptyDatabase('owner');
    const owner = await connect(database.address('owner'));
    await owner
      .query(await readFile(`${projectFolder}test/schema/0001.sql`, 'utf8'))
      .finally(() => owner.end());
    const admin = await database.admin.connect();
    await admin.query(rows).finally(() => admin.release(true));
    const before = await contents(database);

    await migrate(database.address('owner'));
    // The transaction of a change is new.
    const after = await contents(database);
    for (const [at, stored] of before.entries())
      expect(after[at]).to.deep.equal(
        stored.map(({ last_used_at, ...row }) => ({ ...after[at]?.find(({ id }) => id === row.id), ...row })),
      );
    const run = async (text: string, values?: unknown[]) => (await database.admin.query(text, values)).rows;
    expect(await run('select name from campaign_mirror.migrations order by id')).to.deep.equal(
      migrationNames.map((name) => ({ name })),
    );
    expect(await enforcementFaults(run)).to.deep.equal([]);
    const broughtBack = "select from campaign_mirror.mirror_history where transaction_id = '3'";
    expect(await run(broughtBack), 'no row was written for its own number').to.deep.equal([]);
    expect(await parts(database)).to.deep.equal(await parts(await freshDatabase()));

    const on = commandsOn(database);
    const keys = await on.objects('key', 'list');
    expect(keys.map(({ last_used_at }) => last_used_at)).to.deep.equal(['2026-11-20T15:36:00.123456Z', null]);
    expect(await on.objects('audit')).to.have.length(2);
    // An older row takes clicks, is named, and can be given a good address.
    await database.admin.query('update campaign_mirror.mirrors set clicks = clicks + 1');
    const doctor = async () => (await on.run('doctor')).output;
    expect(await doctor()).to.match(
      /^problem +mirrors +1 mirrors .* of the campaigns 3 \(its address is none\)/m,
    );
    for (const id of [2, 3]) await on.run(`mirror set ${id} https://good.example/ --as-operator`);
    expect(await doctor()).not.to.match(/^\w+ +mirrors /m);
    const shown = await on.objects('mirror', 'history', '2');
    expect(shown.map(({ changed_at }) => changed_at)).to.deep.equal([
      '2999-01-01T00:00:00.000001Z',
      '2026-01-02T00:00:00.000000Z',
      '2026-01-01T00:00:00.000000Z',
    ]);
  });
});

async function contents({ admin }: TestDatabase): Promise<Record<string, unknown>[][]> {
  const all = tableNames.map((table) => admin.query(`select * from campaign_mirror.${table} order by id`));
  return (await Promise.all(all)).map((one) => one.rows);
}

/** The columns of its tables and views, and its functions. */
async function parts({ admin }: TestDatabase): Promise<unknown[]> {
  const text = `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
    where table_schema = 'campaign_mirror'
    union all select 'functions', oid::regprocedure::text, null, null, null from pg_proc
    where pronamespace = 'campaign_mirror'::regnamespace order by 1, 2`;
  return (await admin.query(text)).rows;
}
