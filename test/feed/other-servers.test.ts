import { migrate } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { reader } from './readers.ts';
import { filling, writer } from './writers.ts';

const row = (values: string) => `insert into campaign_mirror.mirror_history
    (campaign_id, mirror_id, actor, owner_id, address_before, address_after, request_id, changed_at, transaction_id)
  values (1, 1, 'operator', 1, 'a', 'b', 'r', ${values})`;

describe('the feed and rows that other servers, imports and prunes bring or take', () => {
  const data = serviceDataOf('test');
  const history = async () =>
    (
      await data.database.admin.query(
        'select transaction_id::text as at from campaign_mirror.mirror_history order by id',
      )
    ).rows.map(({ at }) => at);

  it('changes that lie ahead, as a dump brings them, are not given; `doctor`, a start and /readyz say so, and `migrate` mends it', async () => {
    const { base, ops } = await listeningService(data.settings());
    const readiness = async () => (await fetch(`${ops}/readyz`)).json() as Promise<{ checks: object }>;
    const client = await connect(data.database.address('operator'));
    const feed = await reader(client);
    await data.database.admin.query(row("now(), '18446744073709551615'"));
    await data.database.admin.query(row('now(), (pg_current_xact_id()::text::bigint + 1000)::text::xid8'));
    expect((await call(data.one({ base }))).status).to.equal(200);
    await feed.look();
    expect(feed.seen).to.have.length(1);
    const before = await history();

    await eventually('/readyz says so', async () => {
      expect((await readiness()).checks).to.include({ sequences: true, transactions: false });
    });
    const { output } = await command(['doctor', '--json'], { DATABASE_URL: data.database.url('operator') });
    const found = objectsOf(output).filter(({ check }) => check === 'transactions');
    expect(found).to.have.length(1);
    expect(found[0]).to.include({
      state: 'problem',
      advice: 'run `./campaign-mirror migrate` as the owner of the schema',
    });
    const second = await startService(data.settings()).done();
    expect(second.code).to.equal(1);
    expect(second.errors).to.match(
      /the history has changes of another server, up to its transaction 18446744073709551615/,
    );

    const migrated = await command(['migrate'], { DATABASE_URL: data.database.url('owner') });
    expect(migrated.code, migrated.errors).to.equal(0);
    expect(await history()).to.deep.equal(['3', '3', before[2]]);
    await eventually('/readyz is content', async () => {
      expect((await readiness()).checks).to.include({ transactions: true });
    });
    await feed.look();
    expect(feed.seen).to.have.length(1);
    const text = "select tgenabled from pg_trigger where tgname = 'append_only'";
    expect((await data.database.admin.query(text)).rows).to.deep.equal([
      { tgenabled: 'O' },
      { tgenabled: 'O' },
    ]);
    await client.end();
  });

  it('an import and a prune give nothing and take nothing that is new', async () => {
    const { base } = await listeningService(data.settings());
    const operator = { DATABASE_URL: data.database.url('operator') };
    for (let n = 0; n < 3; n++)
      await data.database.admin.query(row("now() - interval '500 days', pg_current_xact_id()"));
    const client = await connect(data.database.address('redirector'));
    const feed = await reader(client);
    expect((await call(data.one({ base }))).status).to.equal(200);
    const pruned = await command(['history', 'prune', '--older-than', '400d', '--yes'], operator);
    expect(pruned.output + pruned.errors).to.match(/3 changes/);
    const imported = await command(
      ['import', '-'],
      operator,
      'owner_id,target_url\n7,https://one.example/\n',
    );
    expect(imported.code, imported.errors).to.equal(0);
    await feed.look();
    await feed.look();
    expect(feed.seen).to.deep.equal(['4']);
    await client.end();
  });

  it('logical replication into a new server, without the column: that server gives each change by its own numbers', async () => {
    const settings = ['wal_level=logical', 'fsync=off'];
    const [from, to] = [await dedicatedServer({ settings }), await dedicatedServer({ settings })];
    const on = async (server: DedicatedServer) => {
      await migrate(server.address('postgres'));
      return connect(server.address('postgres'));
    };
    const [old, next] = [await on(from), await on(to)];
    await old.query(filling(2));
    const tables = ['campaigns', 'access_keys', 'mirrors', 'operator_audit'].map(
      (name) => `campaign_mirror.${name}`,
    );
    const { rows } = await old.query(`select string_agg(attname, ', ') as columns from pg_attribute
      where attrelid = 'campaign_mirror.mirror_history'::regclass and attnum > 0 and attname <> 'transaction_id'`);
    await old.query(
      `create publication moving for table ${tables.join(', ')}, campaign_mirror.mirror_history (${rows[0].columns})`,
    );
    const committed: string[] = [];
    const writing = writer(old, 1, (ids) => void committed.push(...ids));
    for (const roll of [0, 70, 0, 70]) await writing.step(roll);
    const { host, port } = from.address('postgres');
    const feed = await reader(next);
    await next.query(
      `create subscription moving connection 'host=${host} port=${port} user=postgres' publication moving`,
    );
    for (const roll of [0, 70]) await writing.step(roll);
    await eventually('all has come', async () => {
      await feed.look();
      expect(feed.missed(committed)).to.deep.equal([]);
    });
    expect(feed.twice()).to.equal(0);
    const acts = 'select act from campaign_mirror.operator_audit order by id limit 1';
    await eventually('the audit has come', async () =>
      expect((await next.query(acts)).rows).to.deep.equal((await old.query(acts)).rows.slice(0, 1)),
    );
    const ahead = await next.query('select from campaign_mirror.transactions_ahead');
    expect(ahead.rowCount).to.equal(0);
    for (const client of [old, next]) await client.end();
    for (const server of [to, from]) await server.remove();
  });
});
