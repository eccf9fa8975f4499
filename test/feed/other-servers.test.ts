import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { reader } from './readers.ts';

const row = (values: string) => `insert into campaign_mirror.mirror_history
    (campaign_id, mirror_id, actor, owner_id, address_before, address_after, request_id, changed_at, transaction_id)
  values (1, 1, 'operator', 1, 'a', 'b', 'r', ${values})`;

describe('the feed beside rows of another server', () => {
  const data = serviceDataOf('test');
  const history = async () => {
    const text = 'select transaction_id::text as at from campaign_mirror.mirror_history order by id';
    return (await data.database.admin.query(text)).rows.map(({ at }) => at);
  };

  it('skips their changes; /readyz, doctor and a start report them, and `migrate` repairs them', async () => {
    const { base, ops } = await listeningService(data.settings());
    const readiness = async () => (await fetch(`${ops}/readyz`)).json() as Promise<{ checks: object }>;
    const client = await connect(data.database.address('operator'));
    const feed = await reader(client);
    await data.database.admin.query(row("now(), '18446744073709551615'"));
    await data.database.admin.query(row('now(), (pg_current_xact_id()::text::bigint + 1000)::text::xid8'));
    expect((await call(data.one({ base }))).status).to.equal(200);
    await feed.poll();
    expect(feed.seen).to.have.length(1);
    const before = await history();

    await eventually('the report of /readyz', async () => {
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
    await eventually('the recovery of /readyz', async () => {
      expect((await readiness()).checks).to.include({ transactions: true });
    });
    await feed.poll();
    expect(feed.seen).to.have.length(1);
    await client.end();
  });
});
