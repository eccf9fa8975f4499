import { expect } from 'chai';
import { tableNames } from '../../packages/adapters-persistence/src/schema/schema.ts';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';

describe('sequences behind their tables, as logical replication and COPY leave them', () => {
  const data = serviceDataOf('test');
  const run = (...words: string[]) => command(words, { DATABASE_URL: data.database.url('operator') });
  const behind = async (...of: string[]) => {
    for (const table of of)
      await data.database.admin.query(`select setval('campaign_mirror.${table}_id_seq', 1, false)`);
  };
  const doctor = async () => {
    const { output } = await run('doctor', '--json');
    return objectsOf(output).filter(({ check, state }) => check === 'sequences' && state !== 'ok');
  };
  const create = () => run('campaign', 'create', '--owner', '7');

  it('doctor names each, a start those that matter less, too, and the statement that mends it; a command that meets one does nothing and says so', async () => {
    // No number would be left after it.
    await data.database.admin.query(
      'insert into campaign_mirror.campaigns (id, owner_id) values (9007199254740991, 9)',
    );
    expect(await doctor()).to.deep.equal([]);
    await behind('campaigns', 'access_keys');
    const { process, base, ops } = await listeningService(data.settings());
    expect((await fetch(`${ops}/readyz`)).status, 'these do not keep the service from starting').to.equal(
      200,
    );
    const { msg } = await process.event('check-warned');
    expect(msg).to.match(/^the sequence campaigns_id_seq is behind its table/);
    expect((await call(data.one({ base }))).status).to.equal(200);
    await behind(...tableNames);
    const found = await doctor();
    const line =
      /: duplicate key value violates unique constraint "\w+" \(23505\): nothing was done; repeat it; if that fails, a sequence is behind its table: `\.\/campaign-mirror doctor` names it, and the statement that mends it\n$/;
    expect((await create()).errors).to.match(line);
    const lines = 'owner_id,target_url\n7,https://one.example/\n8,https://two.example/\n';
    const imported = await command(['import', '-'], { DATABASE_URL: data.database.url('operator') }, lines);
    expect(imported.errors + imported.output).to.match(line);
    expect((await run('key', 'issue', '--owner', '1', '--name', 'x')).errors).to.match(line);
    expect(found.map(({ state }) => state)).to.deep.equal(tableNames.map(() => 'problem'));
    for (const [at, table] of tableNames.entries()) {
      const { finding, advice } = found[at] ?? {};
      expect(finding).to.match(new RegExp(`^the sequence ${table}_id_seq is behind its table`));
      await data.database.admin.query(String(advice).replace('run as the owner of the schema: ', ''));
    }
    expect(await doctor()).to.deep.equal([]);
    expect((await create()).code).to.equal(0);
  });

  it('that of the history: no start, /readyz says so, and a caller gets 503 until it is mended', async () => {
    const { process, base, ops } = await listeningService(data.settings());
    const set = async () => (await call(data.one({ base }))).status;
    expect([await set(), await set()]).to.deep.equal([200, 200]);
    await behind('mirror_history');
    const ready = await fetch(`${ops}/readyz`);
    expect(ready.status).to.equal(503);
    expect(await ready.json()).to.have.nested.property('checks.sequences', false);
    expect(await set()).to.equal(503);
    expect(await process.event('unavailable')).to.have.nested.property('err.cause.code', '23505');

    const second = await startService(data.settings()).done();
    expect(second.code).to.equal(1);
    const [, statement = ''] =
      /is behind its table.*run as the owner of the schema: (.*)\n/.exec(second.errors) ?? [];
    await data.database.admin.query(statement);
    expect(await set()).to.equal(200);
    expect((await data.recorded()).length).to.equal(3);
  });
});
