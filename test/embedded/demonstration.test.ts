import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
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

  it('is made in a database of yours with DEMO=on only', async () => {
    const yours = { DATABASE_URL: database.url('owner') };
    const { process } = await listeningService(yours);
    expect((await process.stop()).code).to.equal(0);
    expect(process.output).not.to.match(/curl|key issue/);
    const on = await started({ ...yours, DEMO: 'on' });
    expect(await firstCall(on.output)).to.equal(200);
  });
});
