import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { command } from '../support/commands/command.ts';
import { projectFolder, startService } from '../support/process/service-process.ts';

const names = Object.keys(settings);
const example = readFileSync(`${projectFolder}.env.example`, 'utf8');

describe('the settings are shown from one table', () => {
  it('.env.example sets nothing as it is; taken as it stands without its #, it sets every default', () => {
    expect(parseEnv(example)).to.deep.equal({});
    const defaults = parseEnv(example.replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(Object.keys(defaults)).to.have.members(names);
    for (const [name, { byDefault = '' }] of Object.entries(settings)) {
      expect(defaults[name], name).to.equal(byDefault);
    }
    expect(readSettings(defaults)).to.have.property('settings');
  });

  it('the help of the service names each, and it is not started', async () => {
    const service = startService({}, ['--help']);
    expect((await service.ended).code).to.equal(0);
    expect(service.errors).to.equal('');
    for (const name of names) expect(service.output).to.match(new RegExp(`^#${name}=`, 'm'));
    expect(service.output).to.include(example);
  });

  it('the help of `config` is the same', async () => {
    expect((await command(['config', '--help'], {})).output).to.include(example);
  });

  it('the service takes no other words', async () => {
    const service = startService({}, ['--port', '8080']);
    expect((await service.ended).code).to.equal(2);
    expect(service.output).to.equal('');
    expect(service.errors).to.match(/^The service takes no arguments .*\n$/);
  });
});
