import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { demonstration, listeningService } from '../support/process/service-process.ts';

const address = 'https://second.example/';

describe('the demonstration set is made once, and only where it is wanted', () => {
  const folder = dataFolderOf('test');
  const database = databaseOf('test', () => emptyDatabase('owner'));

  it('the first start on the embedded database makes it; what is deleted does not come back', async () => {
    const settings = { DATA_DIR: folder.path };
    const first = await listeningService(settings);
    const { campaign, key } = await demonstration(first.process);
    expect((await call({ base: first.base, campaign, key, address })).status).to.equal(200);
    expect(JSON.stringify(first.process.log), 'the key is not in the log').not.to.include(key);
    expect((await first.process.stop()).code).to.equal(0);

    const again = await listeningService(settings);
    await again.process.shows('./campaign-mirror key issue --owner N --name NAME');
    const list = await command(['campaign', 'list', '--json'], settings);
    for (const { id } of objectsOf(list.output))
      expect((await command(['campaign', 'delete', `${id}`, '--yes'], settings)).code).to.equal(0);
    expect((await call({ base: again.base, campaign, key, address })).status).to.equal(404);
    await again.process.stop();
    const third = await listeningService(settings);
    await third.process.shows('key issue');
    expect(again.process.output + third.process.output).not.to.include('curl');
  });

  it('another database gets it with DEMO=on only', async () => {
    const settings = { DATABASE_URL: database.url('owner') };
    const { process } = await listeningService(settings);
    expect((await process.stop()).code).to.equal(0);
    expect(process.output).not.to.match(/curl|key issue/);
    const on = await listeningService({ ...settings, DEMO: 'on' });
    const shown = await demonstration(on.process);
    expect((await call({ base: on.base, ...shown, address })).status).to.equal(200);
  });
});
