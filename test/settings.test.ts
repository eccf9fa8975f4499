import { expect } from 'chai';
import { databaseConfig } from '../packages/app/src/database-url.ts';
import { readSettings } from '../packages/app/src/settings.ts';
import { endAll, startService } from './support/service-process.ts';

const wrong = (environment: Record<string, string>) => {
  const read = readSettings(environment);
  return 'wrong' in read ? read.wrong : [];
};

describe('settings', () => {
  it('all of them may be left out', () => {
    const read = readSettings({});
    expect(read).to.have.nested.property('settings.PORT', 3000);
    expect(read).to.have.nested.property('settings.DATABASE_WAIT', 10_000);
    expect(read).not.to.have.nested.property('settings.DATABASE_URL');
  });

  it('a variable that is set to nothing counts as left out', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: '' })).to.have.nested.property('settings.PORT', 3000);
  });

  const refused: [name: string, value: string, line: string][] = [
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535, not "65536"'],
    ['PORT', '3000 ', 'PORT must be a whole number from 0 to 65535, not "3000 "'],
    ['OPS_PORT', '-1', 'OPS_PORT must be a whole number from 0 to 65535, not "-1"'],
    [
      'DATABASE_WAIT',
      '10',
      'DATABASE_WAIT must be a time such as 500ms, 10s or 2m, from 0s to 60m, not "10"',
    ],
    [
      'DATABASE_WAIT',
      '61m',
      'DATABASE_WAIT must be a time such as 500ms, 10s or 2m, from 0s to 60m, not "61m"',
    ],
    [
      'LOG_LEVEL',
      'loud',
      'LOG_LEVEL must be trace or debug or info or warn or error or fatal or silent, not "loud"',
    ],
    ['DEMO', 'yes', 'DEMO must be on or off, not "yes"'],
    ['RUN_MIGRATIONS', '1', 'RUN_MIGRATIONS must be true or false, not "1"'],
    ['KEY_CACHE_SECONDS', '6', 'KEY_CACHE_SECONDS must be a whole number from 0 to 5, not "6"'],
    ['BODY_LIMIT', '12', 'BODY_LIMIT must be a whole number from 1024 to 1048576, not "12"'],
    [
      'MIRROR_HOST_DENYLIST',
      'a.example, http://b.example',
      'MIRROR_HOST_DENYLIST must be host names such as go.example.com or *.example.com, with commas between them, not "a.example, http://b.example"',
    ],
  ];
  for (const [name, value, line] of refused) {
    it(`${name}=${value} is refused in one line that says what is accepted`, () => {
      expect(wrong({ [name]: value })).to.deep.equal([line]);
    });
  }

  it('a secret that is wrong is not shown', () => {
    const urls = [
      'mysql://me:MARKED@db/x',
      'MARKED',
      'postgres:MARKED',
      'postgres://me:MARKED@a,b/x',
      'postgres://me:MARKED@[/x',
      'postgres://me:MARKED@db/x?port=abc',
      'postgres://me:MARKED@db/x?sslmode=perhaps',
      'postgres://me:MARKED@db/x?sslmode=verify-full&sslrootcert=/nowhere/at/all',
    ];
    for (const url of urls) {
      expect(wrong({ DATABASE_URL: url })).to.deep.equal([
        'DATABASE_URL must be a URL such as postgres://user:password@host:5432/database, with one host, and parameters that node-postgres takes',
      ]);
    }
  });

  it('sslmode: prefer, require and verify-ca check as strictly as verify-full', () => {
    const base = 'postgres://me:p%C3%A4ss@db:5433/x?';
    const strict = { ...databaseConfig(`${base}sslmode=verify-full`) };
    expect(strict).to.deep.include({ host: 'db', port: 5433, password: 'p\u00e4ss', ssl: {} });
    const same = [
      'sslmode=prefer',
      'sslmode=require',
      'sslmode=verify-ca',
      'sslmode=disable&sslmode=re%71uire',
      'sslmode=require#x',
    ];
    for (const parameters of same) expect({ ...databaseConfig(base + parameters) }).to.deep.equal(strict);
    const weaker = { rejectUnauthorized: false };
    expect(databaseConfig(`${base}sslmode=no-verify`)).to.deep.include({ ssl: weaker });
    expect(databaseConfig(`${base}uselibpqcompat=true&sslmode=require`)).to.deep.include({ ssl: weaker });
    expect(databaseConfig(`${base}sslmode=require&sslmode=disable`)).to.include({ ssl: false });
  });

  it('settings that contradict each other are named', () => {
    expect(wrong({ PORT: '4000', OPS_PORT: '4000' })).to.deep.equal([
      'PORT and OPS_PORT must differ, both are 4000',
    ]);
    expect(wrong({ PORT: '0', OPS_PORT: '0' })).to.deep.equal([]);
    expect(wrong({ QUERY_TIMEOUT: '5s' })).to.deep.equal(['QUERY_TIMEOUT must be above STATEMENT_TIMEOUT']);
  });

  it('ends the start with one line for each wrong value, and exit code 1', async () => {
    const process = startService({ PORT: 'x', DEMO: 'x', DATABASE_URL: 'http://u:MARKED@h/' });
    expect((await process.ended).code).to.equal(1);
    expect(process.output).to.equal('');
    const lines = process.errors.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).to.deep.equal(['PORT', 'DATABASE_URL', 'DEMO']);
    expect(process.errors).not.to.include('MARKED');
  });

  after(endAll);
});
