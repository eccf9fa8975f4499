import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { databaseOf, dataFolderOf } from '../support/process/lives.ts';

describe('a trial on the embedded database becomes an installation', () => {
  const folder = dataFolderOf('suite');
  const target = databaseOf('suite');
  const on = commandsOn(target);
  const trial = () => ({ DATA_DIR: folder.path, DEMO: 'off' });
  async function done(words: string, settings: Readonly<Record<string, string>>) {
    const { code, output, errors } = await command([...words.split(' '), '--json'], settings);
    expect(code, `${words}: ${errors}`).to.equal(0);
    return objectsOf(output);
  }
  let campaign = 0;
  let CAMPAIGN_MIRROR_KEY = '';
  before(async () => {
    [{ id: campaign }] = await done('campaign create --owner 7', trial());
    await done(`mirror create ${campaign} --target-url https://first.example/`, trial());
    [{ key: CAMPAIGN_MIRROR_KEY }] = await done('key issue --owner 7 --name script', trial());
    await done(`mirror set ${campaign} https://second.example/`, { ...trial(), CAMPAIGN_MIRROR_KEY });
  });
  const set = (address: string, settings: Readonly<Record<string, string>>) =>
    done(`mirror set ${campaign} ${address}`, { ...settings, CAMPAIGN_MIRROR_KEY });

  it('a mistake in the words makes no database, and stops nothing', async () => {
    const absent = `${folder.path}-absent`;
    const none = await command(['copy'], { DATABASE_URL: target.url('owner'), DATA_DIR: absent });
    expect(none).to.include({ code: 1, output: '' });
    expect(none.errors).to.equal(
      `there is no embedded database in ${absent}: name the source by --from or SOURCE_DATABASE_URL or SOURCE_DATABASE_URL_FILE\n`,
    );
    expect(existsSync(absent)).to.equal(false);
    for (const words of [['copy'], ['copy', '--from', `${folder.path}/`]]) {
      const same = await command(words, trial());
      expect(same).to.include({ code: 2, output: '' });
      expect(same.errors).to.match(/^name the database to copy into by DATABASE_URL or PGHOST, or /);
    }
  });

  it('`copy` brings its keys and its history, and both go on', async () => {
    const settings = { DATABASE_URL: target.url('owner'), DATA_DIR: folder.path };
    const [rows] = await done('copy', settings);
    expect(rows).to.include({
      campaigns: 1,
      mirrors: 1,
      access_keys: 1,
      mirror_history: 1,
      operator_audit: 3,
    });
    expect(await processesOf(folder.path)).to.deep.equal([]);
    await set('https://third.example/', on.settings);
    const changes = await on.objects(`mirror history ${campaign}`);
    expect(changes.map((one) => [one.id, one.address_before, one.subject])).to.deep.equal([
      [2, 'https://second.example/', 'key:1'],
      [1, 'https://first.example/', 'key:1'],
    ]);
  });

  it('`copy --from` brings it into another folder', async () => {
    const DATA_DIR = `${folder.path}-copy`;
    await done(`copy --from ${folder.path}`, { DATA_DIR });
    await set('https://fourth.example/', { DATA_DIR });
    expect(await done('audit', { DATA_DIR })).to.have.length(3);
    expect(await processesOf(DATA_DIR)).to.deep.equal([]);
  });
});
