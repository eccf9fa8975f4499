import { appendFile, cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answered, refused } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';
import { start } from '../support/process/service-process.ts';
import { projectFolder, read } from '../support/workspace.ts';

describe('./campaign-mirror: a fresh checkout or another version installs what it needs', () => {
  const { at } = folderOf('suite');
  const version = () => start(at('campaign-mirror'), ['--version'], {}, '/').done();
  const installing = (script: string) => writeFile(at('ops', 'setup.cjs'), script);

  it('installs before the first command, and again after an update; a failure ends the command', async () => {
    const number = JSON.parse(await read('package.json')).version;
    const filter = (path: string) => !path.endsWith('/node_modules');
    for (const name of ['campaign-mirror', 'package.json', 'packages'])
      await cp(`${projectFolder}${name}`, at(name), { recursive: true, filter });
    const linked = ['node_modules/.bin'];
    for (const name of await readdir(at('packages'))) linked.push(`packages/${name}/node_modules`);
    for (const name of ['ops', 'node_modules']) await mkdir(at(name));
    for (const name of linked) await symlink(`${projectFolder}${name}`, at(name));
    await writeFile(at('pnpm-lock.yaml'), 'first\n');
    await installing(`require('node:fs').copyFileSync('pnpm-lock.yaml', 'node_modules/.installed');
      console.log('Installed.');`);

    expect(await version()).to.deep.equal(answered(`${number}\n`, 'Installed.\n'));
    expect(await version()).to.deep.equal(answered(`${number}\n`));
    // Another version is checked out.
    await appendFile(at('pnpm-lock.yaml'), 'second\n');
    await installing(`console.error('The registry cannot be reached.'); process.exit(1);`);
    expect(await version()).to.deep.equal(refused('The registry cannot be reached.\n'));
  });
});
