import { chmod, chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeNewFile } from '../../packages/app/src/cli/new-file.ts';

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
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-file-'));
  });
  afterEach(async () => {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });

  it('may have the longest name that there is, and nothing is left beside it', async () => {
    const name = 'x'.repeat(255);
    await writeNewFile(join(folder, name), contents(), { otherwise });
    expect(await readdir(folder)).to.deep.equal([name]);
  });

  it('is written to a folder that its writer can not read', async () => {
    if (process.getuid?.() === 0) await chown(folder, nobody, nobody);
    await chmod(folder, 0o300);
    const path = join(folder, 'new');
    await asNobody(() => writeNewFile(path, contents(), { otherwise }));
    expect(await readFile(path, 'utf8')).to.equal('all of it');
  });
});
