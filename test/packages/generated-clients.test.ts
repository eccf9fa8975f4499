import { cp } from 'node:fs/promises';
import { expect } from 'chai';
import { openapiFile } from '../support/http/openapi-answers.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { pnpm } from '../support/programs.ts';
import { projectFolder } from '../support/workspace.ts';
import { manifestIn, run } from './packed.ts';

const address = 'https://second.example/?click={click_id}&name=é';
const clicks = 3_000_000_000;

describe('clients that are generated from the OpenAPI document', () => {
  const folder = folderOf('suite');
  const data = serviceDataOf('suite');
  before('generates them', async () => {
    await cp(`${projectFolder}test/packages/generators`, folder.path, { recursive: true });
    await cp(openapiFile, folder.at('openapi.json'));
    const install = ['install', '--ignore-workspace', '--frozen-lockfile', '--prefer-offline'];
    await inFolder(pnpm, ...install);
    await node('openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'openapi-typescript.ts');
    await node('@hey-api/openapi-ts/bin/run.js');
  });

  const inFolder = (program: string, ...words: string[]) => run(program, words, { cwd: folder.path });
  const node = (program: string, ...words: string[]) =>
    inFolder(process.execPath, `node_modules/${program}`, ...words);

  it('compile, set a mirror, read more clicks than 32 bits have, and read why an address is refused', async () => {
    const options = '--strict --module nodenext --target es2022 --lib es2023,dom,dom.iterable --skipLibCheck';
    await node('typescript/bin/tsc', ...options.split(' '), '--outDir', 'out', 'calls.ts').catch(
      ({ stdout }) => expect.fail(stdout),
    );
    await data.database.admin.query('update campaign_mirror.mirrors set clicks = $1', [clicks]);
    const { base } = await listeningService(data.settings());
    const { stdout } = await inFolder(
      process.execPath,
      'out/calls.js',
      base,
      data.key,
      `${data.campaigns[0]}`,
      address,
    );
    expect(JSON.parse(stdout)).to.deep.equal({
      clicks,
      why: ['The mirror endpoint field must start with http:// or https://.'],
      version: (await manifestIn(projectFolder)).version,
      wholeClicks: `${clicks}`,
      title: 'Campaign Mirror',
    });
    const { rows } = await data.database.admin.query('select target_url from campaign_mirror.mirrors');
    expect(rows).to.deep.equal([{ target_url: address }]);
  });
});
