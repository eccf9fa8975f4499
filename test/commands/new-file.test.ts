import { chmod, chown, readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { writeNewFile } from '../../packages/adapters-cli/src/terminal/new-file.ts';
import { folderOf } from '../support/process/lives.ts';

async function* contents(): AsyncGenerator<string> {
  yield 'all of it';
}

/** A user without rights of its own: root may read any folder. */
const nobody = 65_534;

async function asNobody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(nobody);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a new file', () => {
  const otherwise = 'name another file';
  const folder = folderOf('test');

  it('may have the longest name that there is, and nothing is left beside it', async () => {
    const name = 'x'.repeat(255);
    await writeNewFile(folder.at(name), contents(), { otherwise });
    expect(await readdir(folder.path)).to.deep.equal([name]);
  });

  it('is written to a folder that its writer cannot read', async () => {
    if (process.getuid?.() === 0) await chown(folder.path, nobody, nobody);
    await chmod(folder.path, 0o300);
    const path = folder.at('new');
    await asNobody(() => writeNewFile(path, contents(), { otherwise }));
    await chmod(folder.path, 0o700);
    expect(await readFile(path, 'utf8')).to.equal('all of it');
  });
});
