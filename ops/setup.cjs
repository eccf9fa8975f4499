// Installs the packages of the project into node_modules, with the machine's own Node (18 or newer) and npm. The
// scripts of package.json run it when node_modules is missing or out of date.
const { spawnSync } = require('node:child_process');
const { accessSync, constants, copyFileSync, mkdirSync, statSync, writeSync } = require('node:fs');
const { homedir } = require('node:os');
const { dirname, join } = require('node:path');

const project = dirname(__dirname);
const installed = join(project, 'node_modules', '.installed');

if (Number(process.versions.node.split('.')[0]) < 18) {
  fail(`This is Node ${process.versions.node}: Node 18 or newer is needed. Nothing was done.`);
}
try {
  mkdirSync(dirname(installed), { recursive: true });
  accessSync(dirname(installed), constants.W_OK);
} catch (error) {
  fail(
    `${dirname(installed)} cannot be written (${error.code}), so that nothing can be installed. Nothing was done.`,
  );
}

const began = Date.now();
say('Installing what is needed into node_modules (some 640 MB): once, and again after an update.');
const environment = { ...process.env, ...forNpm(), ...home() };
Object.assign(environment, forPnpm(npmConfig()));
require('./pnpm.cjs');
const pnpm = join(project, 'node_modules', '.cache', 'pnpm');
succeeds(npm(['ci', '--prefer-offline', '--prefix', pnpm]));
const program = join(pnpm, 'node_modules', 'pnpm', 'pnpm');
succeeds(run(program, ['install', '--frozen-lockfile', '--prefer-offline']));
// A small Linux may lack a library that Node needs.
const own = spawnSync(join(project, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' });
if (own.status !== 0) {
  const why = own.error ? own.error.message : own.stderr.trim();
  const advice =
    'Where libatomic.so.1 is missing: apt-get install libatomic1 (Debian, Ubuntu), then run it again.';
  fail(`What was installed does not run here: ${why}. ${advice}`);
}
copyFileSync(join(project, 'pnpm-lock.yaml'), installed);
say(`Installed in ${Math.round((Date.now() - began) / 1000)} s.`);

/** npm prints errors only, without notices of new versions. */
function forNpm() {
  const usual = {
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
  // Without a network, npm would retry for more than a minute.
  const retries = { npm_config_fetch_retry_mintimeout: '1000', npm_config_fetch_retry_maxtimeout: '5000' };
  return { ...retries, ...pick(process.env, Object.keys(retries)), ...usual };
}

/** npm and pnpm keep their downloads in the home folder. Without a writable one, in the project. */
function home() {
  try {
    const folder = homedir();
    if (statSync(folder).isDirectory()) accessSync(folder, constants.W_OK);
    return { HOME: folder };
  } catch {
    const folder = join(project, 'node_modules', '.cache', 'home');
    mkdirSync(folder, { recursive: true });
    return { HOME: folder, npm_config_cache: join(folder, '.npm') };
  }
}

/** npm's configuration, from variables and all of its files: how it reaches its registry. */
function npmConfig() {
  const { status, stdout } = npm(['config', 'list', '--long', '--json']);
  try {
    return status === 0 ? JSON.parse(stdout) : {};
  } catch {
    return {};
  }
}

/** pnpm reads neither npm's variables (except the keys for a host) nor npm's global file. */
function forPnpm(config) {
  const given = {
    // npm does not print a registry that is named with a password.
    pnpm_config_registry: config.registry || process.env.npm_config_registry,
    pnpm_config_cafile: config.cafile,
    pnpm_config_strict_ssl: config['strict-ssl'] === false ? 'false' : undefined,
    pnpm_config_userconfig: config.userconfig,
    HTTP_PROXY: config.proxy,
    HTTPS_PROXY: config['https-proxy'],
    NO_PROXY: [config.noproxy || []].flat().join(','),
    // pnpm retries each of hundreds of packages: without a network, its defaults would take hours.
    pnpm_config_fetch_retries: '1',
    pnpm_config_fetch_retry_mintimeout: '1000',
  };
  const set = Object.keys(given).filter((name) => given[name] && !process.env[name]);
  return pick(given, set);
}

function npm(args) {
  const own = process.env.npm_execpath || '';
  const [program, first] = /npm-cli\.js$/.test(own) ? [process.execPath, [own]] : ['npm', []];
  return run(program, [...first, ...args]);
}

function run(program, args) {
  const options = { cwd: project, env: environment, encoding: 'utf8', maxBuffer: 2 ** 28 };
  return spawnSync(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

function succeeds({ status, signal, error, stdout, stderr }) {
  if (signal) process.kill(process.pid, signal);
  const said = `${stdout}${stderr}${error ? `${error.message}\n` : ''}`;
  // For pnpm, Node, the compiler and PostgreSQL are optional: it continues without them.
  if (status === 0 && !/dependency that could not be fetched|Failed to verify the integrity/.test(said))
    return;
  writeSync(2, said);
  fail(whatToDo(said));
}

function whatToDo(output) {
  // pnpm breaks its lines.
  const said = output.replace(/\s+/g, ' ');
  // The message must not contain a password.
  const registry = (environment.pnpm_config_registry || 'the npm registry').replace(/\/\/[^/]*@/, '//');
  if (/EINTEGRITY|_TARBALL_INTEGRITY|Failed to verify the integrity/.test(said)) {
    const what =
      'gives another package than the one that was chosen: its hash is not the one that is kept here';
    return `${registry} ${what}. It was not run. Ask whoever runs the registry.`;
  }
  const away =
    /ENOTFOUND|EAI_AGAIN|ECONN(REFUSED|RESET)|ETIMEDOUT|E(HOST|NET)UNREACH|EIDLETIMEOUT|dns error|timed out/;
  if (away.test(said) || said.includes('tcp connect error')) {
    const advice = 'connect this machine, or name a registry that it can reach (npm config set registry URL)';
    return `${registry} cannot be reached: ${advice}, then run it again. Once installed, no network is needed.`;
  }
  if (/E401|E403|error \(40[13] /.test(said)) {
    return `${registry} refuses this machine: log in to it (npm login), then run it again.`;
  }
  if (/ENOSPC|os error 28\b/.test(said))
    return 'No space is left on the disk: free some 1.5 GB, then run it again.';
  return 'The installation failed for the reason above: put it right, then run it again.';
}

function pick(from, names) {
  return Object.fromEntries(
    names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]),
  );
}

function say(line) {
  writeSync(2, `${line}\n`);
}

function fail(line) {
  say(`campaign-mirror: ${line}`);
  process.exit(1);
}
