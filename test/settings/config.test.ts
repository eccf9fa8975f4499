import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { command } from '../support/commands/command.ts';
import { folderOf } from '../support/process/lives.ts';
import { projectFolder, startService } from '../support/process/service-process.ts';

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

  it('lists all that is wrong, without a secret, and ends with 2', async () => {
    const wrong = { DATABASE_URL: 'MARKED', DEMO: 'maybe', POOL_SIZE: '0' };
    const { code, output, errors } = await command(['config'], wrong);
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).not.to.include('MARKED');
    expect(errors.match(/^\S+/gm)).to.deep.equal(['DATABASE_URL', 'POOL_SIZE', 'DEMO']);
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
