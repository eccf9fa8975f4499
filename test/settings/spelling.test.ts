import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { command } from '../support/commands/command.ts';
import { dataFolder } from '../support/process/data-folder.ts';
import { endAll, listeningService } from '../support/process/service-process.ts';

const notes = (environment: Record<string, string>) => {
  const read = readSettings(environment);
  return 'wrong' in read ? read.wrong : read.notes;
};

/** What machines of users, of CI and in clusters have in their environments. */
const ofOthers = `
  PATH HOME USER LOGNAME SHELL SHLVL PWD OLDPWD TERM LANG LC_ALL TZ EDITOR PAGER HOSTNAME HOSTTYPE MAIL DISPLAY TMPDIR
  SUDO_USER SUDO_UID SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK XDG_SESSION_ID XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS
  LS_COLORS LESSOPEN COLORTERM TERM_PROGRAM WINDOWID DEBUG CI POSTS COST SORT LOGS MODE DOMAIN VERBOSE
  NODE NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NODE_DEBUG NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_PORT
  INIT_CWD COLOR npm_command npm_lifecycle_event npm_config_user_agent npm_package_json npm_execpath npm_node_execpath
  npm_config_cache npm_config_prefix npm_config_globalconfig npm_config_userconfig npm_package_name npm_package_version
  PNPM_HOME COREPACK_HOME YARN_VERSION HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NO_COLOR FORCE_COLOR
  PGDATA PGHOSTADDR PGPASSFILE PGSERVICE PGSERVICEFILE PGOPTIONS PGAPPNAME PGTZ PGSSLCERT PGSSLKEY PGSSLCRL PGSSLNEGOTIATION
  PGCONNECT_TIMEOUT PGCLIENTENCODING PGTARGETSESSIONATTRS PGREQUIREAUTH PGCHANNELBINDING PG_MAJOR PG_VERSION
  POSTGRES_DB POSTGRES_USER POSTGRES_PASSWORD POSTGRES_PASSWORD_FILE DB_HOST DB_PORT DB_NAME DB_USER REDIS_HOST
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT KUBERNETES_PORT_443_TCP_ADDR ES_PORT ES_HOST WEB_PORT
  API_HOST APP_PORT LOG_FORMAT RUST_LOG GITHUB_ACTIONS GITHUB_TOKEN RUNNER_OS RUNNER_TEMP JOURNAL_STREAM INVOCATION_ID
  NOTIFY_SOCKET LISTEN_FDS CREDENTIALS_DIRECTORY STATE_DIRECTORY SYSTEMD_EXEC_PID MAINPID WORKER_ID MEMORY_LIMIT
  NODE_ENV JAVA_HOME GOPATH VIRTUAL_ENV CARGO_HOME EDITOR VISUAL _ WEB_CONCURRENCY UV_THREADPOOL_SIZE BASH_ENV ENV PS1 IFS
  TEST_DATABASE TEST_DATABASE_URL TEST_POSTGRES_IMAGE MIKRO_ORM_COLORS DATADOG_API_KEY DOCKER_HOST
`
  .trim()
  .split(/\s+/);

describe('a misspelt setting', () => {
  afterEach(endAll);

  const slips = {
    SHUTDOWN_TIMEOUT: ['SHUTDWON_TIMEOUT', 'SHUTDOWNTIMEOUT'],
    DATABASE_URL: ['DATABSE_URL', 'DATABASE_ULR', 'DATABASE_URI', 'ATABASE_URL'],
    DATABASE_URL_FILE: ['DATABASE_URL_FIL'],
    PGPASSWORD_FILE: ['PGPASWORD_FILE'],
    PGHOST: ['PGHOTS'],
    PGSSLMODE: ['PGSSLMOD'],
    PORT: ['PROT'],
    HOST: ['HOTS'],
    OPS_PORT: ['OPS_PROT', 'OPSPORT'],
    LOG_LEVEL: ['LOGLEVEL'],
    DATA_DIR: ['DATADIR'],
  };
  for (const [meant, names] of Object.entries(slips)) {
    it(`${names.join(', ')} is reported, without its value`, () => {
      for (const name of names)
        expect(notes({ [name]: 'MARKED' })).to.deep.equal([`${name} is no setting: did you mean ${meant}?`]);
    });
  }

  it('what others call their variables is no slip', () => {
    const environment = Object.fromEntries(ofOthers.map((name) => [name, 'x']));
    expect(notes(environment)).to.deep.equal([]);
  });

  it('is warned of once at the start of the service, in its log', async () => {
    const folder = await dataFolder();
    // The embedded database is spoken to as it is, whatever others may want TLS for.
    const ofOthers = { PGSSLMODE: 'require', PGSSLNEGOTIATION: 'direct', PGUSER: 'somebody' };
    const { process } = await listeningService({
      DATA_DIR: folder.path,
      SHUTDWON_TIMEOUT: 'MARKED',
      ...ofOthers,
    });
    const told = process.log.filter(({ event }) => event === 'setting-doubtful');
    expect(told.map(({ msg }) => msg)).to.deep.equal([
      'SHUTDWON_TIMEOUT is no setting: did you mean SHUTDOWN_TIMEOUT?',
      'the embedded database is used, not PGUSER, PGSSLMODE: set PGHOST to use yours',
    ]);
    await process.stop();
    expect(process.output + process.errors).not.to.include('MARKED');
    await folder.remove();
  });

  it('is told by the commands, once, on standard error', async () => {
    const done = await command(['config', '--json'], { DATABASE_ULR: 'MARKED' });
    expect(done.errors).to.equal('DATABASE_ULR is no setting: did you mean DATABASE_URL?\n');
    expect(done.output).not.to.include('MARKED');
  });
});

describe('a setting that is none any more', () => {
  it('is reported in a line that says what holds instead, and the service starts', () => {
    expect(notes({ WORKERS: '4', METRICS: 'off', BODY_LIMIT: '' })).to.deep.equal([
      'WORKERS is no longer a setting: start one process per core with REUSE_PORT=on, see docs/how-to/deploy-with-systemd.md',
      'METRICS is no longer a setting: METRICS=on holds',
    ]);
  });
});
