import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectNoPlantedLink } from '../../packages/embedded-postgres/src/programs/own-folder.ts';
import { programCopy } from '../../packages/embedded-postgres/src/programs/program-copies.ts';
import { clearError, isRoot } from '../support/embedded/embedded-sandbox.ts';

const other = 65534;

describe('copies of PostgreSQL’s programs', () => {
  if (!isRoot) {
    it('are not tested, for want of being root', () => console.warn('NOT TESTED: root alone makes copies'));
    return;
  }
  let root: string;
  let base: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'campaign-mirror-programs-'));
    await chmod(root, 0o711);
    base = join(root, 'base');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  /** A project with programs of its own; its rights are those of a careful umask. */
  async function project(name: string): Promise<[{ folder: string; version: string }, string]> {
    const folder = join(root, name);
    const native = join(folder, 'native');
    await mkdir(join(native, 'bin'), { recursive: true, mode: 0o700 });
    await mkdir(join(native, 'lib'), { mode: 0o700 });
    await copyFile('/bin/sleep', join(native, 'bin', 'postgres'));
    await chmod(join(native, 'bin', 'postgres'), 0o700);
    await writeFile(join(native, 'lib', 'lib.so.1'), 'library', { mode: 0o600 });
    await symlink('lib.so.1', join(native, 'lib', 'lib.so'));
    return [{ folder: native, version: '18.4' }, folder];
  }
  const copies = async () => (await readdir(join(base, 'programs'))).sort();

  it('are made once, whole, and can be read by all and written by root alone', async () => {
    const [original, folder] = await project('one');
    const [same, sibling] = await project('two');
    const umask = process.umask(0o077);
    const made = await Promise.all(
      [folder, sibling, folder, sibling].map((of) => programCopy(of === folder ? original : same, base, of)),
    ).finally(() => process.umask(umask));
    expect(new Set(made)).to.have.property('size', 1);
    const [copy = ''] = made;
    expect(copy).to.match(/\/programs\/18\.4-[0-9a-f]{16}$/);
    const modes = await Promise.all(
      ['.', 'bin', 'bin/postgres', 'lib/lib.so.1'].map(async (path) => {
        const { mode, uid } = await lstat(join(copy, path));
        return `${path} ${(mode & 0o7777).toString(8)} ${uid}`;
      }),
    );
    expect(modes).to.deep.equal(['. 755 0', 'bin 755 0', 'bin/postgres 755 0', 'lib/lib.so.1 644 0']);
    expect((await lstat(join(copy, 'lib/lib.so'))).isSymbolicLink()).to.equal(true);
    const { ino } = await lstat(copy);
    expect(await programCopy(original, base, folder)).to.equal(copy);
    expect((await lstat(copy)).ino).to.equal(ino);
  });

  it('go when their last project has other programs or is gone, and not before', async () => {
    const [original, folder] = await project('one');
    const [same, sibling] = await project('two');
    const first = await programCopy(original, base, folder);
    await programCopy(same, base, sibling);
    await writeFile(join(original.folder, 'lib', 'lib.so.1'), 'newer');
    const newer = { ...original, version: '18.5' };
    const second = await programCopy(newer, base, folder);
    expect(await copies()).to.have.length(2);
    expect(await programCopy(same, base, sibling)).to.equal(first);
    await rename(sibling, `${sibling} elsewhere`);
    const third = await programCopy({ ...newer, version: '18.6' }, base, folder);
    expect(await copies()).to.deep.equal([third.replace(/.*\//, '')]);
    expect(third).not.to.equal(second);
  });

  it('are made anew for other programs of the same version: other contents, another name, another mode', async () => {
    const [original, folder] = await project('one');
    const made = new Set([await programCopy(original, base, folder)]);
    const lib = join(original.folder, 'lib');
    const changes = [
      () => writeFile(join(lib, 'lib.so.1'), 'Library'),
      () => writeFile(join(lib, 'lib.so.2'), ''),
      () => rename(join(lib, 'lib.so.2'), join(lib, 'lib.so.3')),
      () => chmod(join(lib, 'lib.so.3'), 0o700),
    ];
    for (const [at, change] of changes.entries()) {
      await change();
      await utimes(join(original.folder, 'bin', 'postgres'), at, at);
      made.add(await programCopy(original, base, folder));
    }
    expect(made).to.have.property('size', 1 + changes.length);
    expect(await copies()).to.have.length(1);
  });

  it('stay while a server runs from them', async () => {
    const [original, folder] = await project('one');
    const first = await programCopy(original, base, folder);
    const server = spawn(join(first, 'bin', 'postgres'), ['600'], { stdio: 'ignore' });
    await once(server, 'spawn');
    await programCopy({ ...original, version: '18.5' }, base, folder);
    expect(await copies()).to.have.length(2);
    server.kill();
    await once(server, 'exit');
    await programCopy({ ...original, version: '18.6' }, base, folder);
    expect(await copies()).to.have.length(1);
  });

  it('that a kill left half made are removed, and no lock outlives its process', async () => {
    const [original, folder] = await project('one');
    await mkdir(join(base, 'programs', 'new-1-abc', 'bin'), { recursive: true });
    await chmod(join(base, 'programs', 'new-1-abc'), 0o700);
    const lock = join(base, 'projects', '.lock');
    await mkdir(join(base, 'projects'), { mode: 0o700 });
    const script = `const { DatabaseSync } = require('node:sqlite');
      new DatabaseSync(${JSON.stringify(lock)}).exec('begin exclusive'); console.log('held'); setInterval(() => {}, 1e6)`;
    const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    const making = programCopy(original, base, folder);
    const waited = await Promise.race([making, once(holder, 'exit'), tick()]);
    expect(waited).to.equal('still waits');
    holder.kill('SIGKILL');
    expect(await copies().then(() => making)).to.contain('18.4-');
    expect(await copies()).to.have.length(1);
  });

  it('are not made or believed in where somebody else could put something in their place', async () => {
    const [original, folder] = await project('one');
    const copy = await programCopy(original, base, folder);
    await chown(copy, other, other);
    await programCopy(original, base, folder).then(
      (again) => expect.fail(`${again} was believed in`),
      () => {},
    );
    await rm(copy, { recursive: true });
    await chown(join(base, 'programs'), other, other);
    expect(await clearError(programCopy(original, base, folder))).to.contain(
      `${base}/programs cannot be trusted`,
    );
    await chown(join(base, 'programs'), 0, 0);
    await chmod(join(base, 'programs'), 0o1777);
    expect(await clearError(programCopy(original, base, folder))).to.contain('programs cannot be trusted');
    await chmod(join(base, 'programs'), 0o711);
    await chmod(base, 0o777);
    expect(await clearError(programCopy(original, base, folder))).to.contain(`${base} cannot be trusted`);
    expect(await copies()).to.deep.equal([]);
  });

  it('and data are not put where a symbolic link of somebody else leads, in a folder that all may write to', async () => {
    const shared = join(root, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o1777);
    await symlink(root, join(shared, 'planted'));
    await expectNoPlantedLink(join(shared, 'planted', 'data'));
    await chown(shared, 0, 0);
    await rm(join(shared, 'planted'));
    const planting = spawn('ln', ['-s', root, join(shared, 'planted')], { uid: other, gid: other });
    await once(planting, 'exit');
    expect(await clearError(expectNoPlantedLink(join(shared, 'planted', 'data')))).to.contain(
      'is not followed',
    );
  });
});

/** By then what did not have to wait would have been done. */
async function tick(): Promise<string> {
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  return 'still waits';
}
