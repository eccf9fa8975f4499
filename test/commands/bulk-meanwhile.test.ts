import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { StartedCommand } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { folderOf, groupedOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';
import { csv, line } from './csv.ts';

describe('import and export: an interruption leaves no half of the data, and an export is one moment', () => {
  const service = groupedOf('test');
  const folder = folderOf('test');
  const { at } = folder;
  const sql = (text: string) => service.database.admin.query(text);
  const on = () => commandsOn(service.database);
  const sessionEnds = () =>
    eventually('its session to end', async () => {
      const sessions =
        "select from pg_stat_activity where datname = current_database() and application_name = 'campaign-mirror operator'";
      expect((await sql(sessions)).rowCount).to.equal(0);
    });

  it('an import that is interrupted in the middle of the file imports nothing, and closes its session', async () => {
    const half = csv(...Array.from({ length: 2_000 }, (_, n) => line({ id: String(n + 1), owner_id: '1' })));
    const running = new StartedCommand(['import', '-'], on().settings);
    running.stdin.write(half);
    await eventually('the copy to begin', async () => {
      const copying =
        'select from pg_stat_progress_copy where datname = current_database() and tuples_processed > 0';
      expect((await sql(copying)).rowCount).to.equal(1);
    });
    running.stop();
    expect((await running.ended).code).to.equal(130);
    expect(running).to.include({ output: '', errors: 'Stopped. Nothing was imported.\n' });
    await sessionEnds();
    expect(await on().objects('campaign list')).to.deep.equal([]);
  });

  it('an export that is interrupted leaves no file and no session', async () => {
    const lock = 'lock table campaign_mirror.campaigns in access exclusive mode';
    const { other, running } = await on().held(lock, 'export', at('all'));
    expect(await running.stop('SIGINT'), running.errors).to.deep.equal({ code: 130, signal: null });
    expect(running).to.include({ output: '', errors: 'Stopped: nothing was written.\n' });
    await sessionEnds();
    await other.rollback();
    expect(await readdir(folder.path)).to.deep.equal([]);
  });

  it('an export has all campaigns of one moment, whatever changes meanwhile', async () => {
    const many = 1_500;
    await sql(`insert into campaign_mirror.campaigns (owner_id) select 1 from generate_series(1, ${many})`);
    let text = '';
    await service.world.exports.copyTo('json', async (chunk) => {
      if (text === '') {
        await sql(`delete from campaign_mirror.campaigns where id = ${many}`);
        await sql('insert into campaign_mirror.campaigns (owner_id) values (1)');
      }
      text += Buffer.from(chunk).toString();
      return true;
    });
    expect(objectsOf(text).map(({ id }) => id)).to.deep.equal(Array.from({ length: many }, (_, n) => n + 1));
  });
});
