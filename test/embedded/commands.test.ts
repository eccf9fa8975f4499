import { expect } from 'chai';
import { command, refused, startCommand } from '../support/commands/command.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';
import { terminal } from '../support/process/terminal.ts';

describe('commands that meet others on the embedded database', () => {
  const folder = dataFolderOf('test');
  let settings: { DATA_DIR: string; DEMO: string };
  beforeEach(() => {
    settings = { DATA_DIR: folder.path, DEMO: 'off' };
  });
  const create = async (owner: string) => {
    const { output } = await command(['campaign', 'create', '--owner', owner, '--json'], settings);
    return JSON.parse(output).id as number;
  };
  const nothingRuns = async () => expect(await processesOf(folder.path)).to.deep.equal([]);

  /** A command in its middle: it has the database, and asks whether it shall go on. */
  async function inItsMiddle() {
    const deleting = terminal(['campaign', 'delete', String(await create('7'))], settings);
    await deleting.shows(/campaign/);
    return async (key: string) => {
      deleting.type(`${key}\r`);
      return { ...(await deleting.ended), screen: deleting.screen };
    };
  }

  /** A service and another command that wait for it. */
  async function waiting() {
    const service = startService(settings);
    const { msg } = await service.event('database-awaited');
    expect(msg).to.match(/^waiting for process \d+, which uses the data in /);
    const listing = startCommand(['campaign', 'list'], settings);
    await listing.says(() => /^waiting for process/m.test(listing.errors) || undefined);
    return { service, listing };
  }

  it('two at once, without a service: one after the other has it, and nothing is left running', async () => {
    expect(new Set(await Promise.all(['1', '2'].map(create))).size).to.equal(2);
    await nothingRuns();
  });

  it('a service and another command that come during a command wait for its end, and say so; Ctrl-C ends it', async () => {
    const answer = await inItsMiddle();
    const leaving = await waiting();
    expect(await leaving.service.stop('SIGINT')).to.deep.equal({ code: 0, signal: null });
    expect(leaving.service.errors).to.equal('');
    expect(await leaving.listing.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
    expect(leaving.listing.errors).to.match(/\nNothing was done\.\n$/);
    const { service, listing } = await waiting();
    expect(await answer('y')).to.include({ code: 0 });
    await service.event('listening');
    expect((await listing.ended).code, listing.errors).to.equal(0);
    expect((await service.stop()).code).to.equal(0);
    expect(service.output, 'DEMO=off: no demonstration set').not.to.match(/curl|key issue/);
    await nothingRuns();
  });

  it('mirror follow does not keep a service out, and ends with it', async () => {
    const alone = await command(['mirror', 'follow'], settings);
    expect(alone).to.deep.equal(
      refused(`No service uses the data folder ${folder.path}: start it first.\n`, 3),
    );
    const first = await listeningService(settings);
    const following = startCommand(['mirror', 'follow', '--json'], settings);
    await following.says(() => /Following/.exec(following.errors) ?? undefined);
    await first.process.stop();
    expect((await following.ended).code, following.errors).to.equal(3);
    await nothingRuns();
  });
});
