import { expect } from 'chai';
import { tableNames } from '../../packages/adapters-persistence/src/schema/schema.ts';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';

describe('docs: back up and restore: a sequence behind its table, as logical replication leaves it, is found', () => {
  const data = serviceDataOf('test');
  const run = (...words: string[]) => command(words, { DATABASE_URL: data.database.url('operator') });
  const behind = async (...tables: readonly string[]) => {
    for (const table of tables)
      await data.database.admin.query(`select setval('campaign_mirror.${table}_id_seq', 1, false)`);
  };
  const doctor = async () => {
    const { output } = await run('doctor', '--json');
    return objectsOf(output).filter(({ check, state }) => check === 'sequences' && state !== 'ok');
  };
  const statementIn = (text: unknown) => /select setval.*/.exec(String(text))?.[0] ?? '';
  const create = () => run('campaign', 'create', '--owner', '7');

  it('doctor names each sequence and a statement that corrects it; commands change nothing until then', async () => {
    // The campaign with the largest identifier.
    const largest = 'insert into campaign_mirror.campaigns (id, owner_id) values (9007199254740991, 9)';
    await data.database.admin.query(largest);
    await run('mirror', 'set', String(data.campaigns[0]), 'https://second.example/', '--as-operator');
    expect(await doctor()).to.deep.equal([]);
    await behind(...tableNames);
    const found = await doctor();
    expect((await create()).errors)
      .to.include('(23505)')
      .and.include('doctor');
    for (const [at, table] of tableNames.entries()) {
      expect(found[at]?.finding).to.include(`${table}_id_seq`);
      await data.database.admin.query(statementIn(found[at]?.advice));
    }
    expect(await doctor()).to.deep.equal([]);
    expect((await create()).code).to.equal(0);
  });

  it('the sequence of the history: /readyz and calls are 503, and no process starts', async () => {
    const { base, ops } = await listeningService(data.settings());
    const set = async () => (await call(data.one({ base }))).status;
    expect([await set(), await set()]).to.deep.equal([200, 200]);
    await behind('mirror_history');
    const ready = await fetch(`${ops}/readyz`);
    expect([ready.status, await set()]).to.deep.equal([503, 503]);
    expect(await ready.json()).to.have.nested.property('checks.sequences', false);
    const { code, errors } = await startService(data.settings()).done();
    expect(code).to.equal(1);
    await data.database.admin.query(statementIn(errors));
    expect(await set()).to.equal(200);
  });
});
