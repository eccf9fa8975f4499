import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type CompanyRegistry, companyRegistry } from '../support/embedded/company-registry.ts';
import { bareEnvironment, oldTools } from '../support/embedded/old-tools.ts';
import { canHaveRoom } from '../support/embedded/other-machine.ts';
import { RunningProcess } from '../support/process/service-process.ts';
import { filesIn, projectFolder } from '../support/workspace.ts';

const told = /^Installing what is needed into node_modules .*\nInstalled in \d+ s\.\n$/;
const seconds = 1000;

describe('the installation', function () {
  this.timeout(240 * seconds);
  const tools: Record<number, string> = {};
  const running: ChildProcess[] = [];
  let root: string;
  let company: CompanyRegistry;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'campaign-mirror-start-'));
    await chmod(root, 0o711);
    for (const version of [18, 20]) tools[version] = await oldTools(join(root, `tools ${version}`), version);
    company = await companyRegistry();
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await company?.close();
    await rm(root, { recursive: true, force: true, maxRetries: 10 });
  });

  /** The project's files as they are, in a folder of its own with a space in its name. */
  async function clone(name: string): Promise<string> {
    const folder = join(root, name, 'the project');
    for (const path of await filesIn('')) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await copyFile(join(projectFolder, path), join(folder, path));
    }
    return folder;
  }

  async function home(name: string, npmrc = ''): Promise<string> {
    const folder = join(root, name);
    await mkdir(folder);
    await writeFile(join(folder, '.npmrc'), npmrc);
    return folder;
  }

  function run(
    cwd: string,
    node: number,
    words: string[],
    variables: Record<string, string>,
  ): RunningProcess {
    const [program = '', ...rest] = words;
    const env = bareEnvironment(tools[node] ?? '', variables);
    const child = spawn(program, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    return new RunningProcess(child);
  }

  async function ends(process: RunningProcess) {
    const { code } = await process.ended;
    return { code, said: process.errors, all: `${process.output}${process.errors}` };
  }

  let installed: string;
  let settings: Record<string, string>;
  const quiet = ['npm', 'run', '--silent', 'setup'];

  it('by Node 18 and npm 10, from a company’s registry that a variable names, with its key', async () => {
    installed = await clone('first');
    const key = `//${new URL(company.url).host}/:_authToken=sesame\n`;
    settings = { HOME: await home('home', key), npm_config_registry: company.url, LANG: 'C' };
    const umask = ['sh', '-c', 'umask 077 && exec "$@"', 'sh'];
    const { code, said, all } = await ends(run(installed, 18, [...umask, ...quiet], settings));
    expect(code, all).to.equal(0);
    expect(said).to.match(told);
    const packages = company.asked.filter(({ path }) => path.endsWith('.tgz'));
    expect(packages).to.have.length.above(400);
    expect(company.asked.some(({ agent }) => agent.startsWith('pnpm/'))).to.equal(true);
    expect(new Set(company.asked.map(({ authorization }) => authorization))).to.deep.equal(
      new Set(['Bearer sesame']),
    );
  });

  it('is not needed again: the start has no network, Node 20, another umask, and says nothing that is not its own', async () => {
    if (!canHaveRoom('the start without a network')) return;
    const variables = {
      ...settings,
      PORT: '0',
      DEMO: 'off',
      OPS_PORT: '0',
      HOME: '/nonexistent',
      DATA_DIR: join(root, 'data'),
    };
    const service = run(
      installed,
      20,
      ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec npm start'],
      variables,
    );
    await service.event('listening');
    const others = `${service.output}${service.errors}`
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{') && !line.startsWith('> '));
    await service.stop();
    expect(others).to.deep.equal([]);
  });

  it('again, as after an update, has no network either: what was downloaded once is at home', async () => {
    if (!canHaveRoom('the installation without a network')) return;
    await rm(join(installed, 'node_modules'), { recursive: true });
    const { code, said, all } = await ends(run(installed, 20, ['unshare', '--net', ...quiet], settings));
    expect(code, all).to.equal(0);
    expect(said).to.match(told);
  });

  it('for the first time without a network says so in its last line, soon, and without a password', async () => {
    if (!canHaveRoom('the first installation without a network')) return;
    const folder = await clone('second');
    const named = {
      HOME: await home('empty'),
      npm_config_registry: 'https://me:sesame@packages.example/npm/',
    };
    const { code, said } = await ends(run(folder, 20, ['unshare', '--net', ...quiet], named));
    expect(code).to.equal(1);
    expect(said.trim().split('\n').at(-1)).to.match(
      /^campaign-mirror: https:\/\/packages\.example\/npm\/ cannot be reached: connect this machine, or name a registry/,
    );
    expect(said).not.to.contain('sesame');
  });

  it('by another user, without a home to write to, keeps what it downloads in node_modules', async () => {
    if (!canHaveRoom('the installation by a user without a home')) return;
    const folder = await clone('third');
    const everything = [
      root,
      dirname(folder),
      folder,
      ...(await readdir(folder, { recursive: true })).map((path) => join(folder, path)),
    ];
    for (const path of everything.slice(1)) await chown(path, 65534, 65534);
    for (const bin of Object.values(tools)) await chmod(dirname(bin), 0o755);
    const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
    const variables = { HOME: '/nonexistent', npm_config_registry: company.url };
    const { code, said, all } = await ends(run(folder, 18, [...nobody, ...quiet], variables));
    expect(code, all).to.equal(0);
    expect(said).to.match(told);
    expect(await readdir(join(folder, 'node_modules', '.cache', 'home'))).not.to.be.empty;
  });

  it('is refused in one line by a Node that is too old', async () => {
    const pretend =
      "Object.defineProperty(process.versions, 'node', { value: '16.20.0' }); require('./ops/setup.cjs')";
    const old = await ends(run(installed, 18, ['node', '-e', pretend], {}));
    expect(old).to.include({
      code: 1,
      all: `campaign-mirror: This is Node 16.20.0: Node 18 or newer is needed. Nothing was done.\n`,
    });
  });
});
