import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { blocksOf } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { dataFolderOf, folderOf } from '../support/process/lives.ts';
import { environment, listeningService, projectFolder } from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

const page = 'docs/how-to/backup-and-restore.md';

describe(`${page}: from the embedded database to one of your own, or to a newer one`, () => {
  const data = dataFolderOf('suite');
  const folder = folderOf('suite');
  let server: DedicatedServer;
  let old: Record<string, string>;
  let campaign: { id: number; key: string };

  before(async () => {
    server = await dedicatedServer();
    old = { DATA_DIR: data.path, DEMO: 'off' };
  });
  after(() => server.remove());

  it('moves keys and history', async () => {
    const service = await listeningService(old);
    const { id } = await printed('campaign', 'create', '--owner', '7', '--name', 'Summer');
    await printed('mirror', 'create', String(id), '--target-url', 'https://example.com/0');
    const { key } = await printed('key', 'issue', '--owner', '7', '--name', 'script');
    campaign = { id, key };
    await set(service.base, 'https://example.com/1');
    await service.process.stop();

    await prepareServer();
    expect(await run('back up')).to.match(/^\d+ rows were written to /);
    const shown = await run('restore');
    expect(shown).to.match(/^Restored: 1 campaign, 1 mirror, 1 key, 1 change\.\n/);
    expect(shown).to.include('https://example.com/1').and.to.include('backup-restored');

    const settings =
      here(await block('start'))
        .match(/\S+=\S+/g)
        ?.map((one) => one.split(/=(.*)/, 2)) ?? [];
    const there = await listeningService(Object.fromEntries(settings));
    await set(there.base, 'https://example.com/2');
    await there.process.stop();
    const operator = await connect(server.address('campaign_mirror_operator', 'mirrors'));
    const { rows } = await operator.query(
      'select address_before, address_after from campaign_mirror.mirror_history order by id',
    );
    await operator.end();
    expect(rows).to.deep.equal([
      { address_before: 'https://example.com/0', address_after: 'https://example.com/1' },
      { address_before: 'https://example.com/1', address_after: 'https://example.com/2' },
    ]);
  });

  it('goes into a new folder', async () => {
    expect(await run('new folder')).to.equal('Restored: 1 campaign, 1 mirror, 1 key, 1 change.\n');
    const renewed = await listeningService({ ...old, DATA_DIR: `${data.path}-new` });
    await set(renewed.base, 'https://example.com/3');
    await renewed.process.stop();
  });

  it('every block of the page is run', async () => {
    const markers = blocksOf(await read(page)).map(({ marker }) => marker);
    expect(markers).to.deep.equal(['back up', 'restore', 'start', 'new folder'].map((one) => `step: ${one}`));
  });

  /** By the page that it refers to. */
  async function prepareServer(): Promise<void> {
    const blocks = blocksOf(await read('docs/how-to/own-postgresql.md'));
    for (const { marker, language, text } of blocks) {
      if (marker !== 'run: database') continue;
      if (language === 'sh') await shell(text);
      else {
        const superuser = await connect(server.address('postgres'));
        await superuser.query(text);
        await superuser.end();
      }
    }
  }

  async function block(step: string): Promise<string> {
    const text = blocksOf(await read(page)).find(({ marker }) => marker === `step: ${step}`)?.text;
    if (text === undefined) throw new Error(`${page} has no step ${step}`);
    return text;
  }

  /** With the server and the folders of this test. */
  function here(text: string): string {
    const { host, port } = server.address('postgres');
    return text
      .replaceAll('db.example:5432', `${host}:${port}`)
      .replaceAll('mirrors.backup', folder.at('mirrors.backup'))
      .replaceAll('.data-new', `${data.path}-new`);
  }

  const run = async (step: string) => shell(await block(step));

  async function shell(text: string): Promise<string> {
    const options = { cwd: projectFolder, env: environment(old) };
    return (await promisify(execFile)('sh', ['-ec', here(text)], options)).stdout;
  }

  async function printed(...words: string[]) {
    const { code, output, errors } = await command([...words, '--json'], old);
    expect(code, errors).to.equal(0);
    return JSON.parse(output);
  }

  async function set(base: string, address: string): Promise<void> {
    const answer = await call({ base, campaign: campaign.id, key: campaign.key, address });
    expect(answer.status).to.equal(200);
  }
});
