import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';
import { demonstration, listeningService } from '../support/process/service-process.ts';

describe('the demonstration set is made once, and only where it is wanted', () => {
  const folder = dataFolderOf('suite');
  const database = databaseOf('suite', emptyDatabase);

  it('the first start on the embedded database makes it, without its key in the log; the next does not', async () => {
    const settings = { DATA_DIR: folder.path };
    const first = await listeningService(settings);
    const { campaign, key } = await demonstration(first.process);
    const update = { base: first.base, campaign, key, address: 'https://second.example/' };
    expect((await call(update)).status).to.equal(200);
    expect(JSON.stringify(first.process.log)).not.to.include(key);
    expect((await first.process.stop()).code).to.equal(0);
    const again = await listeningService(settings);
    await again.process.shows('./campaign-mirror key issue --owner N --name NAME');
    expect(again.process.output).not.to.include('curl');
  });

  it('another database gets none without DEMO=on', async () => {
    const { process } = await listeningService({ DATABASE_URL: database.url('owner') });
    expect((await process.stop()).code).to.equal(0);
    expect(process.output).not.to.match(/curl|key issue/);
  });
});
