import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../support/workspace.ts';

export const run = promisify(execFile);

export const names = [
  ...['adapters-cli', 'adapters-http', 'adapters-jwt', 'adapters-persistence'],
  ...['app', 'domain', 'embedded-postgres', 'port-contracts'],
];

/** The content of a package.json. */
export type Manifest = ReturnType<typeof JSON.parse>;

export type Packed = Awaited<ReturnType<typeof packed>>[number];

/** The tarballs of `npm run pack`, made once in a run, with their files and manifests. */
export async function packed() {
  tarballs ??= pack();
  return Promise.all((await tarballs).map(unpacked));
}
let tarballs: Promise<string[]> | undefined;

async function pack(): Promise<string[]> {
  const into = await mkdtemp(join(tmpdir(), 'packed-'));
  const { stdout } = await run(process.execPath, ['ops/pack.mjs', into], { cwd: projectFolder });
  return stdout.trim().split('\n');
}

async function unpacked(file: string) {
  const parent = await mkdtemp(join(tmpdir(), 'unpacked-'));
  await run('tar', ['-xzf', file, '-C', parent]);
  const folder = join(parent, 'package');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return { file, files, manifest: await manifestIn(folder) };
}

export const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
