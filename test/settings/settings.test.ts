import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { type Setting, type SettingName, settings } from '../../packages/app/src/settings/settings-table.ts';
import { command } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';
import { startService } from '../support/process/service-process.ts';

type Environment = Record<string, string>;

const wrong = (environment: Environment, lines: readonly string[]) =>
  expect(readSettings(environment), JSON.stringify(environment)).to.deep.include({ wrong: lines });

describe('settings: an invalid setting ends the start with one line', () => {
  const folder = folderOf('suite');

  const refused: Partial<Record<SettingName, readonly string[]>> = {
    PORT: ['65536', '3000 ', '-1'],
    DATABASE_WAIT: ['10', '61m'],
    LOG_LEVEL: ['loud'],
    DEMO: ['yes'],
    RUN_MIGRATIONS: ['1'],
    RATE_LIMIT: ['600', '0/1m', '1/0s', '1000001/1m', '1/25h', ' 600/1m'],
    MIRROR_HOST_DENYLIST: ['a.example, http://b.example', 'com', 'a..b'],
    TRUSTED_PROXIES: ['proxy.example', '10.0.0.0/33', ','],
    PGHOST: ['one,other', 'postgres://me:MARKED@db/x'],
    CORS_ORIGINS: ['*', 'tools.example', 'https://tools.example/', 'https://*.example', 'javascript://abc'],
    JWT_JWKS_URL: ['http://issuer.example/jwks', 'https://user:MARKED@issuer.example/jwks', 'ftp://a/b'],
    DATABASE_URL: [
      ...['mysql://me:MARKED@db/x', 'MARKED', 'postgres://me:MARKED@a,b/x'],
      // A password with characters that must be percent-encoded.
      ...['postgres://me:12/MARKED@db/x', 'postgres://me:12#MARKED@db/x', 'postgres://me:MARKED%ff@db/x'],
    ],
  };
  for (const [name, values] of Object.entries(refused))
    it(`an invalid ${name} is refused with what it accepts, and without a secret`, () => {
      const { accepts, secret }: Setting = settings[name as SettingName];
      for (const value of values) {
        const shown = secret ? '' : `, not ${JSON.stringify(value.replace(/\/\/.*@/, '//…@'))}`;
        wrong({ [name]: value }, [`${name} must be ${accepts}${shown}`]);
      }
    });

  it('a DATABASE_URL with an unknown parameter or an unusable certificate is refused', () => {
    const url = (parameters: string) => ({ DATABASE_URL: `postgres://me:MARKED@db/x?${parameters}` });
    const noFile = (file: string) =>
      `sslrootcert, sslcert or sslkey cannot be used: ENOENT: no such file or directory, open '${file}'`;
    const cases: [environment: Environment, line: string][] = [
      [url('sslmode=MARKED'), 'sslmode must be disable, require, verify-ca, verify-full'],
      [url('sslmode=verify-ca'), 'sslmode=verify-ca needs the file of a CA: sslrootcert'],
      [url('sslrootcert=/nowhere/at/all'), noFile('/nowhere/at/all')],
      [url('sslmode=require&sslrootcert=system'), noFile('system')],
    ];
    for (const [environment, line] of cases) wrong(environment, [line]);
    const unknown = /^DATABASE_URL must have no parameters but host, port/;
    for (const parameters of ['tls=true', 'channel_binding=require', 'password=one&MARKED=2'])
      expect(readSettings(url(parameters)))
        .to.have.nested.property('wrong[0]')
        .that.matches(unknown);
  });

  it('settings that contradict or need each other are named', () => {
    wrong({ PORT: '4000', OPS_PORT: '4000' }, ['PORT and OPS_PORT must differ, both are 4000']);
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

  it('a start with invalid settings or arguments ends with exit code 2 and one line for each', async () => {
    const invalid = { PORT: 'x', DEMO: 'x', DATABASE_URL: 'http://u:MARKED@h/' };
    const { code, output, errors } = await startService(invalid).done();
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors)
      .to.match(/^PORT .*\nDATABASE_URL .*\nDEMO .*\n$/)
      .and.not.include('MARKED');
    const withWords = await startService({}, ['--port', '8080']).done();
    expect(withWords.code).to.equal(2);
    expect(withWords.errors).to.match(/^The service takes no arguments: .*\n$/);
  });

  it('the log and doctor show the settings that differ from their defaults, without secrets', async () => {
    const PGPASSWORD_FILE = folder.at('password');
    await writeFile(PGPASSWORD_FILE, 'MARKED\n');
    const settings = {
      ...{ DATABASE_URL: 'postgres://me@127.0.0.1:9/MARKED', PGPASSWORD_FILE, DATABASE_WAIT: '0s' },
      ...{ CAMPAIGN_MIRROR_KEY: 'MARKED', OPS_HOST: 'http://me:MARKED@db', LOG_LEVEL: 'info', DOCS: '' },
    };
    const shown = {
      ...{ PORT: '0', OPS_HOST: 'http://…@db', OPS_PORT: '0', DATABASE_URL: '(set)', DATABASE_WAIT: '0s' },
      ...{ PGPASSWORD: '(set)', CAMPAIGN_MIRROR_KEY: '(set)' },
    };
    const service = startService(settings);
    await service.done();
    expect(service.log[0]).to.deep.include({ event: 'starting', settings: shown });
    const doctor = await command(['doctor'], settings);
    const [, line = ''] = /^ok {7}settings {4}(.*)\n/.exec(doctor.output) ?? [];
    const lines = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
    expect(line.split('; ')).to.have.members(lines);
    expect(`${service.output}${doctor.output}`).not.to.include('=MARKED').and.not.include(':MARKED');
  });
});
