import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { endAll, projectFolder, startService } from '../support/process/service-process.ts';

const wrong = (environment: Record<string, string>) => {
  const read = readSettings(environment);
  return 'wrong' in read ? read.wrong : [];
};

describe('settings', () => {
  it('all of them may be left out', () => {
    const read = readSettings({});
    expect(read).to.have.nested.property('settings.PORT', 3000);
    expect(read).to.have.nested.property('settings.DATABASE_WAIT', 10_000);
    expect(read).to.have.nested.property('settings.DATABASE_URL', undefined);
  });

  it('a variable that is set to nothing counts as left out', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: '' })).to.have.nested.property('settings.PORT', 3000);
  });

  const wait = 'a time such as 500ms, 10s or 2m, from 0s to 60m';
  const rate = 'off, or a number per period, such as 600/1m: 1 to 1000000 per 1s to 24h';
  const refused: [name: string, rule: string, ...values: string[]][] = [
    ['PORT', 'a whole number from 0 to 65535', '65536', '3000 '],
    ['OPS_PORT', 'a whole number from 0 to 65535', '-1'],
    ['DATABASE_WAIT', wait, '10', '61m'],
    ['LOG_LEVEL', 'trace or debug or info or warn or error or fatal or silent', 'loud'],
    ['DEMO', 'on or off', 'yes'],
    ['RUN_MIGRATIONS', 'true or false', '1'],
    ['RATE_LIMIT', rate, '600', '0/1m', '1/0s', '1000001/1m', '1/25h', '1/500ms', ' 600/1m'],
    [
      'MIRROR_HOST_DENYLIST',
      'host names such as go.example.com or *.example.com, with commas between them',
      'a.example, http://b.example',
    ],
  ];
  for (const [name, rule, ...values] of refused) {
    it(`${name} is refused in one line that says what is accepted: ${values.join('; ')}`, () => {
      for (const value of values)
        expect(wrong({ [name]: value })).to.deep.equal([`${name} must be ${rule}, not "${value}"`]);
    });
  }

  const rates = {
    off: undefined,
    '1/1s': { limit: 1, seconds: 1 },
    '600/1m': { limit: 600, seconds: 60 },
    '1000000/24h': { limit: 1_000_000, seconds: 86_400 },
  };
  for (const [text, rate] of Object.entries(rates)) {
    it(`RATE_LIMIT=${text} is read`, () => {
      const read = readSettings({ RATE_LIMIT: text });
      expect('settings' in read && read.settings.RATE_LIMIT).to.deep.equal(rate);
    });
  }

  for (const text of [
    'redis://db.example',
    'rediss://me:p%40ss@[::1]:6380/3',
    'redis://:password@10.0.0.1/',
  ]) {
    it(`REDIS_URL=${text} is read`, () => {
      const read = readSettings({ REDIS_URL: text });
      expect('settings' in read && read.settings.REDIS_URL?.href).to.equal(text);
    });
  }

  it('a REDIS_URL that is wrong is refused, and not shown', () => {
    for (const rest of ['/nodb', '/1/2', '?family=6', '#x', ':70000']) {
      const [line] = wrong({ REDIS_URL: `redis://me:MARKED@db.example${rest}` });
      expect(line, rest).to.match(/^REDIS_URL must be an address such as redis:/);
      expect(line).not.to.include('MARKED');
    }
    for (const REDIS_URL of [
      'redis://me:12/MARKED@db.example',
      'redis://me:%ff@db.example',
      'http://db.example',
      'db.example:6379',
      'redis://',
      'redis://a%zz:b@db.example',
      'redis://db.example b',
    ]) {
      expect(wrong({ REDIS_URL }), REDIS_URL).to.have.length(1);
    }
  });

  it('a DATABASE_URL that is wrong is not shown, nor is any part of a password in which something is not encoded', () => {
    const urls = [
      'mysql://me:MARKED@db/x',
      'MARKED',
      'postgres:MARKED',
      'postgres://me:MARKED@a,b/x',
      'postgres://me:MARKED@/x?host=a,b',
      'postgres://me:MARKED@[/x',
      'postgres://me:MARKED%ff@db/x',
      'postgres://me:MARKED%@db/x',
      'postgres://me:MARKED@db/x?port=abc',
      'postgres://me:MARKED@db/x?port=70000',
      'postgres://me:MARKED@db:70000/x',
      'postgres://me:MARKED@db/x y',
      ' postgres://me:MARKED@db/x',
      'postgres://me:12/MARKED@db/x',
      'postgres://me:12?MARKED@db/x',
      'postgres://me:12?sslrootcert=MARKED@db/x',
      'postgres://me:12#MARKED@db/x',
      'postgres://me:1@2/MARKED@db/x',
    ];
    for (const url of urls) {
      expect(wrong({ DATABASE_URL: url }), url).to.deep.equal([
        'DATABASE_URL must be a URL such as postgres://user:password@host:5432/database, with one host, and what is special in it percent-encoded',
      ]);
    }
  });

  it('a database of yours is named whole, TLS to it included, or the start ends', () => {
    const url = (parameters: string) => ({ DATABASE_URL: `postgres://me:MARKED@db/x?${parameters}` });
    const modes = 'sslmode or PGSSLMODE must be disable, require, verify-ca, verify-full';
    const packageJson = `${projectFolder}package.json`;
    const unknown =
      'DATABASE_URL must have no parameters but host, port, user, password, application_name, connect_timeout, uselibpqcompat, ssl, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation, and sslcert with sslkey';
    const unusable = (why: string) => `sslrootcert, sslcert or sslkey cannot be used: ${why}`;
    const cases: [environment: Record<string, string>, line: string][] = [
      [url('sslmode=prefer'), modes],
      [url('sslmode=MARKED'), modes],
      [{ PGHOST: 'db', PGSSLMODE: 'allow' }, modes],
      [url('sslmode=verify-ca'), 'sslmode=verify-ca needs the file of a CA: sslrootcert or PGSSLROOTCERT'],
      [
        url('sslrootcert=/nowhere/at/all'),
        unusable("ENOENT: no such file or directory, open '/nowhere/at/all'"),
      ],
      [
        { ...url('sslmode=verify-full'), PGSSLROOTCERT: projectFolder },
        unusable('EISDIR: illegal operation on a directory, read'),
      ],
      [{ PGHOST: 'db', PGSSLROOTCERT: packageJson }, unusable('error:0480006C:PEM routines::no start line')],
      [
        url('sslmode=require&sslrootcert=system'),
        unusable("ENOENT: no such file or directory, open 'system'"),
      ],
      [
        url(`sslmode=require&sslcert=${packageJson}&sslkey=${packageJson}`),
        unusable('error:0480006C:PEM routines::no start line'),
      ],
      [url('tls=true'), unknown],
      [url('SSLMODE=verify-full'), unknown],
      [url(`sslmode=require&sslcert=${packageJson}`), unknown],
      [
        { PGHOST: 'postgres://me:MARKED@db/x' },
        'PGHOST must be one host name, IP address, or the folder of a socket, not "postgres://…@db/x"',
      ],
      [
        { PGHOST: 'one,other' },
        'PGHOST must be one host name, IP address, or the folder of a socket, not "one,other"',
      ],
    ];
    for (const [environment, line] of cases) expect(wrong(environment)).to.deep.equal([line]);
  });

  it('what other programs find in PG* variables keeps nobody from the embedded database', () => {
    expect(wrong({ PGSSLMODE: 'prefer', PGSSLROOTCERT: '/nowhere', PGUSER: 'somebody' })).to.deep.equal([]);
  });

  it('settings that contradict each other are named', () => {
    expect(wrong({ PORT: '4000', OPS_PORT: '4000' })).to.deep.equal([
      'PORT and OPS_PORT must differ, both are 4000',
    ]);
    expect(wrong({ PORT: '0', OPS_PORT: '0' })).to.deep.equal([]);
    expect(wrong({ REUSE_PORT: 'on', PORT: '0' })).to.deep.equal([
      'REUSE_PORT=on needs a PORT: with 0 each process takes another',
    ]);
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
