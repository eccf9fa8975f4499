import { expect } from 'chai';
import { command, refused } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

describe('the demonstration set', () => {
  const folder = dataFolderOf('test');
  const database = databaseOf('test', () => emptyDatabase('owner'));

  /** What the first of the printed commands is answered, by the service that it names or by another. */
  async function firstCall(output: string, other?: string): Promise<number | undefined> {
    const command = /^curl .* (http\S+)\/public\/.*campaign\/(\d+)\/.*Bearer (\S+)'/m;
    const [, base = '', campaign, key = ''] = command.exec(output) ?? [];
    const address = 'https://second.example/';
    return (await call({ base: other ?? base, campaign: Number(campaign), key, address })).status;
  }

  async function started(settings: Record<string, string>) {
    const { process, base } = await listeningService(settings);
    await process.says(() => /not an address|key issue/.test(process.output) || undefined);
    return { process, base, output: process.output };
  }

  it('is made on the very first start, and what was taken away stays away', async () => {
    const settings = { DATA_DIR: folder.path };
    const first = await started(settings);
    expect(await firstCall(first.output)).to.equal(200);
    const key = /cm_\w+/.exec(first.output)?.[0] ?? 'none';
    expect(JSON.stringify(first.process.log), 'the key is not in the log').not.to.include(key);
    expect((await first.process.stop()).code).to.equal(0);

    const again = await started(settings);
    expect(again.output)
      .to.include('./campaign-mirror key issue --owner N --name NAME')
      .and.not.include('curl');
    const list = await command(['campaign', 'list', '--json'], settings);
    for (const { id } of objectsOf(list.output))
      expect((await command(['campaign', 'delete', `${id}`, '--yes'], settings)).code).to.equal(0);
    expect(await firstCall(first.output, again.base)).to.equal(404);
    await again.process.stop();
    expect((await started(settings)).output).not.to.include('curl');
  });

  it('is made in a database of yours by `demo create` or DEMO=on, and only where there is no data', async () => {
    await command(['migrate'], { DATABASE_URL: database.url('owner') });
    const yours = { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' };
    const { base, process } = await listeningService(yours);
    expect(process.output).not.to.match(/curl|key issue/);
    const operator = { DATABASE_URL: database.url('operator') };
    const made = await command(['demo', 'create', '--base', base], operator);
    expect(made.code, made.errors).to.equal(0);
    expect(await firstCall(made.output)).to.equal(200);
    const line = 'the database contains data, or contained some earlier: nothing was created\n';
    expect(await command(['demo', 'create'], operator)).to.deep.equal(refused(line));

    const other = await emptyDatabase('owner');
    const on = await started({ DATABASE_URL: other.url('owner'), DEMO: 'on' });
    expect(await firstCall(on.output)).to.equal(200);
  });

  it('is not made with DEMO=off', async () => {
    const { process } = await listeningService({ DATA_DIR: folder.path, DEMO: 'off' });
    expect((await process.stop()).code).to.equal(0);
    expect(process.output).not.to.match(/curl|key issue/);
  });
});
