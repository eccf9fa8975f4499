import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { command, commandProcess } from '../support/commands/command.ts';
import { dataFolderOf, folderOf } from '../support/process/lives.ts';
import { listeningService, projectFolder, startService } from '../support/process/service-process.ts';

const names = Object.keys(settings);
const example = readFileSync(`${projectFolder}.env.example`, 'utf8');

describe('config', () => {
  const { at } = folderOf('suite');

  it('shows every setting, and where it comes from, to programs in one object', async () => {
    const path = at('password');
    await writeFile(path, 'MARKED\n');
    const { code, output, errors } = await command(['config', '--json'], {
      DATABASE_URL: 'postgres://me:MARKED@db.example:6432/mirrors?sslmode=require&password=MARKED',
      PGPASSWORD_FILE: path,
      CAMPAIGN_MIRROR_KEY: 'MARKED',
      REDIS_URL: 'rediss://me:MARKED@redis.example/2',
      LOG_LEVEL: 'debug',
      POOL_SIZE: '',
    });
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(output).not.to.include('MARKED');
    const { database, notes, settings: shown } = JSON.parse(output);
    expect(database).to.deep.equal({ database: 'db.example:6432/mirrors', user: 'me', tls: 'require' });
    expect(notes).to.deep.equal([]);
    expect(shown.map(({ setting }: { setting: string }) => setting)).to.deep.equal(names);
    const plain = { value: null, hidden: false, from: 'environment', file: null };
    for (const [setting, expected] of Object.entries({
      LOG_LEVEL: { value: 'debug' },
      POOL_SIZE: { value: '10', from: 'default' },
      PGHOST: { from: 'unset' },
      PGPASSWORD: { hidden: true, from: 'file', file: path },
      CAMPAIGN_MIRROR_KEY: { hidden: true },
      REDIS_URL: { hidden: true },
      DATABASE_URL: { hidden: true },
    }))
      expect(shown).to.deep.include({ setting, ...plain, ...expected });
  });

  it('is a table for people, secrets hidden', async () => {
    const DATABASE_URL = 'postgres://me:MARKED@[::1]/x';
    const { output, errors } = await command(['config'], { DATABASE_URL, PGPASSWORD: 'MARKED' });
    expect(output + errors).not.to.include('MARKED');
    expect(output).to.match(/^database +::1:5432\/x\nuser +me\ntls +disable\n\nsetting +value +from\n/);
    expect(output).to.match(/^PGPASSWORD +\(set, hidden\) +environment$/m);
  });

  it('--example shows .env.example, which sets nothing as it is, and without its # every default', async () => {
    expect((await command(['config', '--example'], {})).output).to.equal(example);
    expect(parseEnv(example)).to.deep.equal({});
    const defaults = Object.entries(settings).map(([name, { byDefault = '' }]) => [name, byDefault]);
    const uncommented = parseEnv(example.replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(uncommented).to.deep.equal(Object.fromEntries(defaults));
    expect(readSettings(uncommented)).to.have.property('settings');
  });

  it('the service takes no words, and does not start with any', async () => {
    const refused = startService({}, ['--port', '8080']);
    expect((await refused.ended).code).to.equal(2);
    expect(refused.output).to.equal('');
    expect(refused.errors).to.match(/^The service takes no arguments: .*\n$/);
  });
});

const notes = (environment: Record<string, string>, expected: readonly string[]) =>
  expect(readSettings(environment)).to.deep.include({ notes: expected });

/** What machines of users, of CI and in clusters have in their environments. */
const ofOthers = `
  PATH HOME USER SHELL TERM LANG TZ HOSTNAME HOSTTYPE CI POSTS COST SORT LOGS MODE NODE_OPTIONS NODE_PORT HTTP_PROXY
  NO_PROXY PGDATA PGPASSFILE PGAPPNAME PGTZ PGSSLCERT PGSSLKEY PGSSLCRL POSTGRES_PASSWORD
  POSTGRES_PASSWORD_FILE DB_HOST DB_PORT REDIS_HOST KUBERNETES_PORT ES_PORT ES_HOST WEB_PORT API_HOST APP_PORT LOG_FORMAT
  STATE_DIRECTORY MEMORY_LIMIT ENV PS1 IFS _ TEST_DATABASE_URL
`;

describe('a setting that has no effect is reported in a line, without its value', () => {
  const folder = dataFolderOf('test');

  it('where it is misspelt', () => {
    const slips = `SHUTDWON_TIMEOUT SHUTDOWN_TIMEOUT, SHUTDOWNTIMEOUT SHUTDOWN_TIMEOUT, DATABASE_URI DATABASE_URL,
      ATABASE_URL DATABASE_URL, PROT PORT, PGPASWORD_FILE PGPASSWORD_FILE, PGHOTS PGHOST, LOGLEVEL LOG_LEVEL,
      ENVIROMENT_FILE ENVIRONMENT_FILE, database_url DATABASE_URL, Redis_Url REDIS_URL`;
    for (const slip of slips.split(',')) {
      const [name = '', meant] = slip.trim().split(' ');
      notes({ [name]: 'MARKED' }, [`${name} is not a setting: did you mean ${meant}?`]);
    }
  });

  it('but not where others call their variables so', () => {
    const names = ofOthers.trim().split(/\s+/);
    notes(Object.fromEntries(names.map((name) => [name, 'x'])), []);
  });

  it('where others keep it from having one, or it is not a secret that a file may hold', () => {
    const twice = 'PGHOST is used only if DATABASE_URL names no host';
    notes({ DATABASE_URL: 'postgres://other/x', PGHOST: 'db' }, [twice]);
    for (const name of ['PGUSER', 'PGSERVICE', 'PGHOSTADDR'])
      notes({ [name]: 'x' }, [`the embedded database is used, not ${name}: set PGHOST to use yours`]);
    notes({ PGHOST: 'db', PGSERVICE: 'x' }, []);
    const file = 'PGHOST_FILE is not read: set PGHOST itself';
    notes({ PGHOST_FILE: '/run/secrets/host', LOG_LEVEL_FILE: '' }, [file]);
  });

  it('where only a file has it that the program does not read: once, by its name', async () => {
    await mkdir(folder.path);
    await writeFile(
      join(folder.path, '.env'),
      '# PORT=1\nexport LOG_LEVEL=MARKED\nPGPASSWORD_FILE=MARKED\nOTHER=x\nHOST=\n',
    );
    const told =
      '.env is not read, and so LOG_LEVEL, PGPASSWORD_FILE is not set: to have it read, set ENVIRONMENT_FILE=.env\n';
    const config = (settings = {}) => commandProcess(['config', '--json'], settings, folder.path);
    expect((await config()).errors).to.equal(told);
    const { errors } = await config({ LOG_LEVEL: 'info', PGPASSWORD_FILE: join(folder.path, '.env') });
    expect(errors).to.match(/^PGPASSWORD_FILE: .* must hold one line\n$/);
  });

  it('once at the start of the service, in its log, and once by a command, on standard error', async () => {
    // The embedded database is spoken to as it is, whatever others may want TLS for.
    const ofOthers = { PGSSLMODE: 'prefer', PGSSLROOTCERT: '/nowhere', PGUSER: 'somebody' };
    const settings = { DATA_DIR: folder.path, SHUTDWON_TIMEOUT: 'MARKED', ...ofOthers };
    const told = [
      'SHUTDWON_TIMEOUT is not a setting: did you mean SHUTDOWN_TIMEOUT?',
      'the embedded database is used, not PGUSER, PGSSLMODE, PGSSLROOTCERT: set PGHOST to use yours',
    ];
    const { process } = await listeningService(settings);
    await process.stop();
    const logged = process.log.filter(({ event }) => event === 'setting-doubtful');
    expect(logged.map(({ msg }) => msg)).to.deep.equal(told);
    const { output, errors } = await command(['config', '--json'], settings);
    expect(errors).to.equal(`${told.join('\n')}\n`);
    expect(process.output + process.errors + output).not.to.include('MARKED');
  });
});
