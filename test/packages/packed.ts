import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../support/workspace.ts';

export const run = promisify(execFile);

/** A manifest, as far as it is looked at here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string | Readonly<Record<'types' | 'default', string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Packed {
  /** The tarball. */
  readonly file: string;
  /** Where it was unpacked. */
  readonly folder: string;
  /** Every file in it, by its path. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

/** The packages, packed and unpacked as `npm run pack` leaves them; once a run, in the run's own folder. */
export function packed(): Promise<readonly Packed[]> {
  all ??= pack();
  return all;
}

let all: Promise<readonly Packed[]> | undefined;

async function pack(): Promise<readonly Packed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  for (const name of ['notes.txt', 'campaign-mirror-domain-0.0.1.tgz'])
    await writeFile(join(folder, name), '');
  const { stdout } = await run(process.execPath, ['ops/pack.mjs', folder], { cwd: projectFolder });
  return Promise.all(stdout.trim().split('\n').map(unpacked));
}

async function unpacked(file: string): Promise<Packed> {
  const parent = await mkdtemp(join(tmpdir(), `${basename(file, '.tgz')}-`));
  const { stdout } = await run('tar', ['-xvzf', file, '-C', parent]);
  const folder = join(parent, 'package');
  const files = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''))
    .sort();
  return { file, folder, files, manifest: await manifestIn(folder) };
}

export const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
