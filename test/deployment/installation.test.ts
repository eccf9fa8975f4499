import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type CompanyRegistry, companyRegistry } from '../support/embedded/company-registry.ts';
import { bareEnvironment, oldTools } from '../support/embedded/old-tools.ts';
import { endAll, endedByTests } from '../support/process/service-process.ts';
import { canHaveRoom } from '../support/programs.ts';
import { copyProject } from '../support/workspace.ts';

const setup = ['npm', 'run', '--silent', 'setup'];
const nobody = 65_534;

describe('the project installs itself on a bare machine, from any registry, and nothing but what it chose', () => {
  let root: string;
  let company: CompanyRegistry;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'campaign-mirror-start-'));
    await chmod(root, 0o711);
    company = await companyRegistry();
  });
  after(async () => {
    await endAll();
    await company?.close();
  });

  /** Copies the project's files to a folder with a space in its name. */
  async function clone(name: string): Promise<string> {
    const folder = join(root, name, 'the project');
    await copyProject(folder);
    return folder;
  }
  async function run(cwd: string, node: number, words: readonly string[], variables = {}) {
    const [program = '', ...rest] = words;
    const env = bareEnvironment(await oldTools(node), variables);
    return endedByTests(spawn(program, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }
  /** Expects this exit code of a program, and returns its standard error. */
  async function errorsOf(code: number, ...words: Parameters<typeof run>): Promise<string> {
    const process = await run(...words);
    expect((await process.ended).code, process.output + process.errors).to.equal(code);
    return process.errors;
  }
  const lastLine = (text: string) => text.trim().split('\n').at(-1);

  let installed: string;

  it('by Node 18 and npm 10, as a user without a home, from a registry that needs a key', async () => {
    if (!canHaveRoom('the installation by another user')) return;
    installed = await clone('first');
    const npmrc = join(root, 'npmrc');
    await writeFile(npmrc, `//${new URL(company.url).host}/:_authToken=sesame\n`);
    const paths = (await readdir(installed, { recursive: true })).map((path) => join(installed, path));
    for (const path of [dirname(installed), installed, ...paths]) await chown(path, nobody, nobody);
    const as = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
    const umask = ['sh', '-c', 'umask 077 && exec "$@"', 'sh'];
    const registry = { npm_config_registry: company.url, npm_config_userconfig: npmrc };
    const variables = { HOME: '/nonexistent', LANG: 'C', ...registry };
    expect(await errorsOf(0, installed, 18, [...as, ...umask, ...setup], variables)).to.match(
      /^Installing what is needed into node_modules .*\nInstalled in \d+ s\.\n$/,
    );
    expect(await readdir(join(installed, 'node_modules', '.cache', 'home'))).not.to.be.empty;
    const nodes = company.asked.filter(({ path }) => /^\/node-(bin-)?(linux|darwin).*\.tgz$/.test(path));
    expect(nodes, 'one Node, for this machine').to.have.length(1);
    const keys = new Set(company.asked.map(({ authorization }) => authorization));
    expect(keys).to.deep.equal(new Set(['Bearer sesame']));
  });

  it('once: the next start, on Node 20, needs no network and prints only its own lines', async () => {
    if (!canHaveRoom('the start without a network')) return;
    const settings = { PORT: '0', OPS_PORT: '0', DEMO: 'off', DATA_DIR: join(root, 'data') };
    const words = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec npm start'];
    const service = await run(installed, 20, words, { HOME: '/nonexistent', ...settings });
    await service.event('listening');
    const lines = `${service.output}${service.errors}`.split('\n');
    await service.stop();
    expect(lines.filter((line) => line !== '' && !/^(\{|> )/.test(line))).to.deep.equal([]);
  });

  const machine = `${process.platform}-${process.arch}`;
  for (const name of [`@pnpm/exe.${machine}`, `node-${machine}`])
    it(`a forged ${name} is refused by its hash, and not run`, async () => {
      const folder = await clone(`forged ${name.replace('/', ' ')}`);
      const proof = join(folder, 'forged-ran');
      const lock = await readFile(join(folder, 'pnpm-lock.yaml'), 'utf8');
      const [, locked] = new RegExp(`^ +'?${name}@([^':]*)'?:$`, 'm').exec(lock) ?? [];
      const pnpm = await readFile(join(folder, 'ops/pnpm.cjs'), 'utf8');
      const version = locked ?? /^const version = '(.*)'/m.exec(pnpm)?.[1];
      const forged = join(folder, 'forged', 'package');
      const bin = { node: 'bin/node', pnpm: 'pnpm' };
      const scripts = { preinstall: `touch '${proof}'`, postinstall: `touch '${proof}'` };
      for (const path of Object.values(bin)) {
        await mkdir(dirname(join(forged, path)), { recursive: true });
        await writeFile(join(forged, path), `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
      }
      await writeFile(join(forged, 'package.json'), JSON.stringify({ name, version, bin, scripts }));
      company.forged.set(name, execFileSync('tar', ['-cz', '-C', dirname(forged), 'package']));
      const variables = { HOME: dirname(folder), npm_config_registry: company.url };
      const errors = await errorsOf(1, folder, 20, setup, variables);
      company.forged.clear();
      expect(lastLine(errors)).to.match(
        /^campaign-mirror: http:\S+ gives another package than the one that was chosen: its hash is not /,
      );
      expect(existsSync(proof)).to.equal(false);
    });

  it('without a network it names the registry in its last line, and no password', async () => {
    if (!canHaveRoom('the installation without a network')) return;
    const folder = await clone('unreachable');
    const npm_config_registry = 'https://me:sesame@packages.example/npm/';
    const variables = { HOME: dirname(folder), npm_config_registry };
    const errors = await errorsOf(1, folder, 20, ['unshare', '--net', ...setup], variables);
    expect(lastLine(errors)).to.include(
      'https://packages.example/npm/ cannot be reached: connect this machine',
    );
    expect(errors).not.to.contain('sesame');
  });

  it('a Node that is too old is refused in one line', async () => {
    const pretend =
      "Object.defineProperty(process.versions, 'node', { value: '16.20.0' }); require('./ops/setup.cjs')";
    expect(await errorsOf(1, await clone('old Node'), 18, ['node', '-e', pretend])).to.equal(
      'campaign-mirror: This is Node 16.20.0: Node 18 or newer is needed. Nothing was done.\n',
    );
  });
});
