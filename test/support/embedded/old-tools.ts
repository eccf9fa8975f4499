import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The variables by which a machine reaches the registry. */
const network = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/i;

/** The environment of a bare machine. `bin` comes first in PATH. */
export function bareEnvironment(bin: string, variables: Readonly<Record<string, string>>) {
  const kept = Object.entries(process.env).filter(([name]) => network.test(name));
  return { ...Object.fromEntries(kept), PATH: `${bin}:/usr/sbin:/usr/bin:/sbin:/bin`, ...variables };
}

/** A folder with a version of Node, or the last of a major version, and npm 10; installed from npm once in a run. */
export async function oldTools(node: number | string): Promise<string> {
  const folder = join(tmpdir(), `tools of Node ${node}`);
  const bin = join(folder, 'bin');
  if (existsSync(bin)) return bin;
  await mkdir(folder);
  const machine = `node-${process.platform}-${process.arch}`;
  const words = 'install --no-save --ignore-scripts --prefer-offline --no-audit --prefix'.split(' ');
  await promisify(execFile)('npm', [...words, folder, `${machine}@${node}`, 'npm@10'], { cwd: folder });
  const programs = { node: `${machine}/bin/node`, npm: 'npm/bin/npm-cli.js', npx: 'npm/bin/npx-cli.js' };
  await mkdir(bin);
  for (const [name, path] of Object.entries(programs))
    await symlink(join(folder, 'node_modules', path), join(bin, name));
  return bin;
}
