import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { call } from '../support/http/caller.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { type Terminal, terminal } from '../support/process/terminal.ts';

describe('commands that meet others on the embedded database', () => {
  const folder = dataFolderOf('test');
  let settings: { DATA_DIR: string; DEMO: string };
  const json = async (...args: string[]) => {
    const { code, output, errors } = await command([...args, '--json'], settings);
    expect(code, errors).to.equal(0);
    return JSON.parse(output);
  };
  beforeEach(async () => {
    settings = { DATA_DIR: folder.path, DEMO: 'off' };
  });

  /** A command in its middle: it has the database, and asks whether it shall go on. */
  async function inItsMiddle(campaign: number): Promise<Terminal> {
    const deleting = terminal(['campaign', 'delete', String(campaign)], settings);
    await deleting.shows(/campaign/);
    return deleting;
  }

  async function agree(deleting: Terminal, campaign: number): Promise<void> {
    deleting.type('y\r');
    expect((await deleting.ended).code, deleting.screen).to.equal(0);
    expect((await command(['campaign', 'show', String(campaign)], settings)).code).to.equal(1);
  }

  it('an import finds what it needs in it', async () => {
    const header =
      'id,name,owner_id,is_default,created_at,mirror_id,target_url,clicks,updated_externally,updated_externally_at,mirror_created_at,mirror_updated_at';
    const input = `${header}\n,Summer,7,,,,https://example.com/,,,,,\n`;
    const { code, errors } = await command(['import', '-'], settings, input);
    expect(code, errors).to.equal(0);
    expect((await command(['mirror', 'show', '1'], settings)).code).to.equal(0);
    const findings = await command(['doctor', '--json'], settings);
    expect(findings.output).not.to.match(/lacks|temporary/);
  });

  it('two at once, where it is down: one brings it up, the last stops it', async () => {
    const both = await Promise.all([1, 2].map((owner) => json('campaign', 'create', '--owner', `${owner}`)));
    expect(new Set(both.map(({ id }) => id)).size).to.equal(2);
    expect(await processesOf(folder.path)).to.deep.equal([]);
  });

  it('a service that starts during a command uses it, and goes on after the command', async () => {
    const { id } = await json('campaign', 'create', '--owner', '7');
    const kept = await json('campaign', 'create', '--owner', '7');
    await json('mirror', 'create', String(kept.id), '--target-url', 'https://example.com/');
    const { key } = await json('key', 'issue', '--owner', '7', '--name', 'script');
    const deleting = await inItsMiddle(id);
    const service = await listeningService(settings);
    await agree(deleting, id);
    const one = { base: service.base, campaign: kept.id, key, address: 'https://example.com/new' };
    expect((await call(one)).status).to.equal(200);
    expect((await service.process.stop()).code).to.equal(0);
    expect(await processesOf(folder.path)).to.deep.equal([]);
  });

  it('a command that outlives the service still does what it is for, and stops the database', async () => {
    const service = await listeningService(settings);
    const { id } = await json('campaign', 'create', '--owner', '7');
    const deleting = await inItsMiddle(id);
    expect((await service.process.stop()).code).to.equal(0);
    expect(await processesOf(folder.path), 'the command is there').not.to.deep.equal([]);
    await agree(deleting, id);
    expect(await processesOf(folder.path)).to.deep.equal([]);
  });
});
