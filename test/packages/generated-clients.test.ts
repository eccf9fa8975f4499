import { cp } from 'node:fs/promises';
import { expect } from 'chai';
import { openapiFile } from '../support/http/openapi-answers.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { pnpm } from '../support/programs.ts';
import { projectFolder } from '../support/workspace.ts';
import { run } from './packed.ts';

const address = 'https://second.example/?click={click_id}&name=é';
const clicks = 3_000_000_000;

describe('a client that is generated from the OpenAPI document works', () => {
  const folder = folderOf('suite');
  const data = serviceDataOf('suite');

  it('it compiles, sets a mirror, reads more clicks than 32 bits hold, and reads a refusal', async () => {
    await cp(`${projectFolder}test/packages/generators`, folder.path, { recursive: true });
    await cp(openapiFile, folder.at('openapi.json'));
    const inFolder = (program: string, ...words: string[]) => run(program, words, { cwd: folder.path });
    const node = (program: string, ...words: string[]) =>
      inFolder(process.execPath, `node_modules/${program}`, ...words);
    await inFolder(pnpm, 'install', '--ignore-workspace', '--frozen-lockfile', '--prefer-offline');
    await node('@hey-api/openapi-ts/bin/run.js');
    const options = '--strict --module nodenext --target es2022 --lib es2023,dom,dom.iterable --skipLibCheck';
    await node('typescript/bin/tsc', ...options.split(' '), '--outDir', 'out', 'calls.ts').catch(
      ({ stdout }) => expect.fail(stdout),
    );
    await data.database.admin.query('update campaign_mirror.mirrors set clicks = $1', [clicks]);
    const { base } = await listeningService(data.settings());
    const words = ['out/calls.js', base, data.key, `${data.campaigns[0]}`, address];
    const { stdout } = await inFolder(process.execPath, ...words);
    expect(JSON.parse(stdout)).to.deep.equal({
      clicks: `${clicks}`,
      why: ['The mirror endpoint field must start with http:// or https://.'],
      title: 'Campaign Mirror',
    });
    const { rows } = await data.database.admin.query('select target_url from campaign_mirror.mirrors');
    expect(rows).to.deep.equal([{ target_url: address }]);
  });
});
