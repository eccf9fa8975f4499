import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { command } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';

interface Shown {
  readonly setting: string;
  readonly value: string | null;
  readonly hidden: boolean;
  readonly from: string;
  readonly file: string | null;
}

describe('config', () => {
  const { at } = folderOf('suite');

  it('shows every setting in force, and where it comes from, to programs in one object', async () => {
    const path = at('password');
    await writeFile(path, 'MARKED\n');
    const environment = {
      DATABASE_URL: 'postgres://me:MARKED@db.example:6432/mirrors?sslmode=require&password=MARKED',
      PGPASSWORD_FILE: path,
      CAMPAIGN_MIRROR_KEY: 'MARKED',
      REDIS_URL: 'rediss://me:MARKED@redis.example/2',
      LOG_LEVEL: 'debug',
      POOL_SIZE: '',
    };
    const { code, output, errors } = await command(['config', '--json'], environment);
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(output).not.to.include('MARKED');
    const answer = JSON.parse(output);
    expect(answer.database).to.deep.equal({
      database: 'db.example:6432/mirrors',
      user: 'me',
      tls: 'require',
    });
    expect(answer.notes).to.deep.equal([]);
    const shown: Shown[] = answer.settings;
    expect(shown.map(({ setting }) => setting)).to.deep.equal(Object.keys(settings));
    const of = (name: string) => shown.find(({ setting }) => setting === name);
    const plain = { hidden: false, file: null };
    expect(of('LOG_LEVEL')).to.include({ ...plain, value: 'debug', from: 'environment' });
    expect(of('POOL_SIZE')).to.include({ ...plain, value: '10', from: 'default' });
    expect(of('PGHOST')).to.include({ ...plain, value: null, from: 'unset' });
    expect(of('PGPASSWORD')).to.include({ value: null, hidden: true, from: 'file', file: path });
    expect(of('CAMPAIGN_MIRROR_KEY')).to.include({ value: null, hidden: true, from: 'environment' });
    expect(of('REDIS_URL')).to.include({
      value: 'rediss://me:…@redis.example/2',
      from: 'environment',
    });
    expect(of('DATABASE_URL')).to.include({
      value: 'postgres://me:…@db.example:6432/mirrors?…',
      from: 'environment',
    });
  });

  it('is a table for people, secrets hidden', async () => {
    const DATABASE_URL = 'postgres://me:MARKED@[::1]/x';
    const { output, errors } = await command(['config'], { DATABASE_URL, PGPASSWORD: 'MARKED' });
    expect(output + errors).not.to.include('MARKED');
    const lines = output.split('\n').map((line) => line.replace(/ {2,}/g, '  '));
    expect(lines.slice(0, 5)).to.deep.equal([
      'database  ::1:5432/x',
      'user  me',
      'tls  disable',
      '',
      'setting  value  from',
    ]);
    expect(lines).to.include('DATABASE_URL  postgres://me:…@[::1]/x  environment');
    expect(lines).to.include('PGPASSWORD  (set, hidden)  environment');
    expect(lines).to.include('DEMO  -  -');
    expect(lines).to.include('DATABASE_WAIT  10s  default');
  });

  it('says that the database is the embedded one, and where, and starts nothing', async () => {
    const DATA_DIR = at('data');
    const { code, output } = await command(['config', '--json'], { DATA_DIR });
    expect(code).to.equal(0);
    expect(JSON.parse(output).database).to.deep.equal({ database: 'embedded', folder: DATA_DIR });
  });

  it('lists all that is wrong, without a secret, and ends with 2', async () => {
    const DATABASE_URL = 'MARKED';
    for (const args of [['config'], ['config', '--json']]) {
      const { code, output, errors } = await command(args, { DATABASE_URL, DEMO: 'maybe', POOL_SIZE: '0' });
      expect({ code, output }).to.deep.equal({ code: 2, output: '' });
      expect(errors).not.to.include('MARKED');
      expect(
        errors
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[0]),
      ).to.deep.equal(['DATABASE_URL', 'POOL_SIZE', 'DEMO']);
    }
  });
});
