import { expect } from 'chai';
import { command, refused, StartedCommand } from '../support/commands/command.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';

describe('commands and services take turns on the embedded database', () => {
  const folder = dataFolderOf('test');
  let settings: { DATA_DIR: string; DEMO: string };
  beforeEach(() => {
    settings = { DATA_DIR: folder.path, DEMO: 'off' };
  });
  const create = async (owner: string) => {
    const { output } = await command(['campaign', 'create', '--owner', owner, '--json'], settings);
    return JSON.parse(output).id as number;
  };
  const nothingRuns = () => expect(processesOf(folder.path)).to.deep.equal([]);

  it('two concurrent commands both succeed, and leave no process behind', async () => {
    expect(new Set(await Promise.all(['1', '2'].map(create))).size).to.equal(2);
    nothingRuns();
  });

  it('a service and a second command wait for a running command, say so, and Ctrl-C ends the wait', async () => {
    const deleting = new StartedCommand(['campaign', 'delete', String(await create('7'))], settings, true);
    await deleting.shows(/campaign/);
    const waiting = async () => {
      const service = startService(settings);
      const { msg } = await service.event('database-awaited');
      expect(msg).to.match(/^waiting for process \d+, which uses the data in /);
      const listing = new StartedCommand(['campaign', 'list'], settings);
      await listing.shows('waiting for process');
      return { service, listing };
    };
    const interrupted = await waiting();
    expect(await interrupted.service.stop('SIGINT')).to.deep.equal({ code: 0, signal: null });
    expect(await interrupted.listing.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
    expect(interrupted.listing.errors).to.match(/\nNothing was done\.\n$/);
    const { service, listing } = await waiting();
    deleting.type('y\r');
    expect((await deleting.ended).code).to.equal(0);
    await service.event('listening');
    expect((await listing.ended).code, listing.errors).to.equal(0);
    expect((await service.stop()).code).to.equal(0);
    nothingRuns();
  });

  it('mirror follow needs a service, keeps no service out, and ends with it', async () => {
    const message = `No service uses the data folder ${folder.path}: start it first.\n`;
    expect(await command(['mirror', 'follow'], settings)).to.deep.equal(refused(message, 3));
    const first = await listeningService(settings);
    const following = new StartedCommand(['mirror', 'follow', '--json'], settings);
    await following.shows('Following');
    await first.process.stop();
    expect((await following.ended).code, following.errors).to.equal(3);
    nothingRuns();
  });
});
