import { writeFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { type Setting, type SettingName, settings } from '../../packages/app/src/settings/settings-table.ts';
import { commandProcess } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';
import { projectFolder, startService } from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

type Environment = Record<string, string>;

const wrong = (environment: Environment, lines: readonly string[]) =>
  expect(readSettings(environment), JSON.stringify(environment)).to.deep.include({ wrong: lines });
const isRead = (name: string, text: string) => {
  const read = readSettings({ [name]: text });
  expect(read, `${name}=${text}`).to.have.property('settings');
  return expect('settings' in read && read.settings[name as 'PORT']);
};

describe('settings', () => {
  const folder = folderOf('suite');

  it('that are left out, or lists, rates and addresses, are read', () => {
    isRead('DATABASE_WAIT', '').to.equal(10_000);
    isRead('DATABASE_URL', '').to.equal(undefined);
    isRead('RATE_LIMIT', 'off').to.equal(undefined);
    isRead('RATE_LIMIT', '1/1s').to.deep.equal({ limit: 1, seconds: 1 });
    isRead('RATE_LIMIT', '600/1m').to.deep.equal({ limit: 600, seconds: 60 });
    isRead('RATE_LIMIT', '1000000/24h').to.deep.equal({ limit: 1_000_000, seconds: 86_400 });
    const origins = [
      ...[
        'https://tools.example',
        'http://localhost:8080',
        'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
      ],
      ...[
        'moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc',
        'safari-web-extension://E1A5B5A5-0C2B-4F0A',
      ],
    ];
    isRead('CORS_ORIGINS', origins.join(', ')).to.deep.equal(origins);
    isRead('JWT_JWKS_URL', 'http://[::1]:1/').to.have.property('href', 'http://[::1]:1/');
    isRead('JWT_JWKS_URL', 'https://a.example/?b=c').to.have.property('href', 'https://a.example/?b=c');
  });

  const refused: Partial<Record<SettingName, readonly string[]>> = {
    PORT: ['65536', '3000 ', '-1'],
    DATABASE_WAIT: ['10', '61m'],
    LOG_LEVEL: ['loud'],
    DEMO: ['yes'],
    RUN_MIGRATIONS: ['1'],
    RATE_LIMIT: ['600', '0/1m', '1/0s', '1000001/1m', '1/25h', '1/500ms', ' 600/1m'],
    MIRROR_HOST_DENYLIST: ['a.example, http://b.example', 'com', 'a..b', '*. com'],
    TRUSTED_PROXIES: ['proxy.example', '10.0.0.0/33', ','],
    PGHOST: ['one,other', 'postgres://me:MARKED@db/x'],
    CORS_ORIGINS: [
      ...['*', 'null', 'tools.example', 'https://tools.example/', 'https://TOOLS.example', 'ftp://a.example'],
      ...['https://a@tools.example', ' ', 'https://*.example', 'chrome-extension://', 'chrome-extension://*'],
      ...['chrome-extension://abc/', 'extension://abc', 'javascript://abc'],
    ],
    JWT_JWKS_URL: ['http://issuer.example/jwks', 'https://user:MARKED@issuer.example/jwks', 'ftp://a/b'],
    DATABASE_URL: [
      ...[
        'mysql://me:MARKED@db/x',
        'MARKED',
        'postgres://me:MARKED@a,b/x',
        'postgres://me:MARKED@/x?host=a,b',
      ],
      ...['postgres://me:MARKED@[/x', 'postgres://me:MARKED%ff@db/x', 'postgres://me:MARKED@db:70000/x'],
      // Parts of a password in which something is not encoded.
      ...['postgres://me:12/MARKED@db/x', 'postgres://me:12#MARKED@db/x', 'postgres://me:1@2/MARKED@db/x'],
    ],
  };
  for (const [name, values] of Object.entries(refused))
    it(`${name} that is wrong is refused in one line, which says what is accepted, and shows no secret`, () => {
      const { accepts, secret }: Setting = settings[name as SettingName];
      for (const value of values) {
        const shown = secret ? '' : `, not ${JSON.stringify(value.replace(/\/\/.*@/, '//…@'))}`;
        wrong({ [name]: value }, [`${name} must be ${accepts}${shown}`]);
      }
    });

  it('of a database of yours name it whole, TLS included, or the start ends', () => {
    const url = (parameters: string) => ({ DATABASE_URL: `postgres://me:MARKED@db/x?${parameters}` });
    const packageJson = `${projectFolder}package.json`;
    const modes = 'sslmode must be disable, require, verify-ca, verify-full';
    const noCa = 'sslmode=verify-ca needs the file of a CA: sslrootcert';
    const unknown =
      'DATABASE_URL must have no parameters but host, port, user, password, application_name, connect_timeout, uselibpqcompat, ssl, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation, and sslcert with sslkey';
    const unusable = (why: string) => `sslrootcert, sslcert or sslkey cannot be used: ${why}`;
    const noFile = (file: string) => unusable(`ENOENT: no such file or directory, open '${file}'`);
    const cases: [environment: Environment, line: string][] = [
      [url('sslmode=MARKED'), modes],
      [url('sslmode=verify-ca'), noCa],
      [url('sslrootcert=/nowhere/at/all'), noFile('/nowhere/at/all')],
      [url(`sslrootcert=${packageJson}`), unusable('error:0480006C:PEM routines::no start line')],
      [url('sslmode=require&sslrootcert=system'), noFile('system')],
      [url('tls=true'), unknown],
      [url('channel_binding=require&target_session_attrs=any'), unknown],
      [{ DATABASE_URL: 'postgres://me:one?MARKED=2' }, unknown],
      [{ DATABASE_URL: 'postgres://db/x?password=one&MARKED=2' }, unknown],
      [url(`sslmode=require&sslcert=${packageJson}`), unknown],
    ];
    for (const [environment, line] of cases) wrong(environment, [line]);
  });

  it('that contradict each other are named, and so are those without which others cannot be', () => {
    wrong({ PORT: '4000', OPS_PORT: '4000' }, ['PORT and OPS_PORT must differ, both are 4000']);
    expect(readSettings({ PORT: '0', OPS_PORT: '0' })).to.have.property('settings');
    const shared = 'REUSE_PORT=on needs a PORT: with 0 each process takes another';
    wrong({ REUSE_PORT: 'on', PORT: '0' }, [shared]);
    const tokens = { JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'campaign-mirror' };
    const all = { ...tokens, JWT_JWKS_URL: 'https://issuer.example/certs' };
    for (const IDENTITY of ['jwt', 'both']) {
      const needed = Object.keys(all).map((name) => `IDENTITY=${IDENTITY} needs ${name}`);
      wrong({ IDENTITY }, needed);
      expect(readSettings({ ...all, IDENTITY })).to.have.property('settings');
    }
  });

  it('that are wrong end the start with one line for each, and exit code 2', async () => {
    const process = startService({ PORT: 'x', DEMO: 'x', DATABASE_URL: 'http://u:MARKED@h/' });
    expect((await process.ended).code).to.equal(2);
    expect(process.output).to.equal('');
    const lines = process.errors.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).to.deep.equal(['PORT', 'DATABASE_URL', 'DEMO']);
    expect(process.errors).not.to.include('MARKED');
  });

  it('that differ from their defaults are in the first line of the log, and of doctor, without secrets', async () => {
    const PGPASSWORD_FILE = folder.at('password');
    await writeFile(PGPASSWORD_FILE, 'MARKED\n');
    const settings = {
      ...{ DATABASE_URL: 'postgres://me@127.0.0.1:9/MARKED', PGPASSWORD_FILE, DATABASE_WAIT: '0s' },
      ...{ CAMPAIGN_MIRROR_KEY: 'MARKED', OPS_HOST: 'http://me:MARKED@db', LOG_LEVEL: 'info', DOCS: '' },
    };
    const shown = {
      ...{ PORT: '0', OPS_HOST: 'http://…@db', OPS_PORT: '0', DATABASE_URL: '(set)', DATABASE_WAIT: '0s' },
      ...{ PGPASSWORD: `(in ${PGPASSWORD_FILE})`, CAMPAIGN_MIRROR_KEY: '(set)' },
    };
    const service = startService(settings);
    await service.done();
    expect(service.log[0]).to.deep.include({ event: 'starting', settings: shown });
    const doctor = await commandProcess(['doctor'], settings);
    const [, line = ''] = /^ok {7}settings {4}(.*)\n/.exec(doctor.output) ?? [];
    expect(line.split('; ').toSorted()).to.deep.equal(
      Object.entries(shown)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    );
    expect(`${service.output}${doctor.output}`).not.to.include('=MARKED').and.not.include(':MARKED');
  });

  it('are all in .env.example, which sets nothing as it is, and without its # every default', async () => {
    const example = await read('.env.example');
    expect(parseEnv(example)).to.deep.equal({});
    const defaults = Object.entries(settings).map(([name, { byDefault = '' }]) => [name, byDefault]);
    const uncommented = parseEnv(example.replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(uncommented).to.deep.equal(Object.fromEntries(defaults));
    expect(readSettings(uncommented)).to.have.property('settings');
  });

  it('are not words: with any, the service does not start', async () => {
    const { code, output, errors } = await startService({}, ['--port', '8080']).done();
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).to.match(/^The service takes no arguments: .*\n$/);
  });
});
