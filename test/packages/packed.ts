import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../support/workspace.ts';

export const run = promisify(execFile);

export const names = [
  ...['adapters-cli', 'adapters-http', 'adapters-jwt'],
  ...['adapters-persistence', 'app', 'domain', 'embedded-postgres', 'port-contracts'],
];

/** What stands in a package.json. */
export type Manifest = ReturnType<typeof JSON.parse>;

export type Packed = Awaited<ReturnType<typeof pack>>[number];

/** The packages, packed and unpacked as `npm run pack` leaves them; once a run, in the run's own folder. */
export function packed(): ReturnType<typeof pack> {
  all ??= pack();
  return all;
}

let all: ReturnType<typeof pack> | undefined;

async function pack() {
  const into = await mkdtemp(join(tmpdir(), 'packed-'));
  const { stdout } = await run(process.execPath, ['ops/pack.mjs', into], { cwd: projectFolder });
  const unpacked = stdout
    .trim()
    .split('\n')
    .map(async (file) => {
      const parent = await mkdtemp(join(tmpdir(), 'unpacked-'));
      await run('tar', ['-xzf', file, '-C', parent]);
      const folder = join(parent, 'package');
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
      return { file, files, manifest: await manifestIn(folder) };
    });
  return Promise.all(unpacked);
}

export const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
