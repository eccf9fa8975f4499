import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { UnitFile } from '../support/deployment/unit-file.ts';
import { nodeOptions } from '../support/process/node-options.ts';
import { projectFolder } from '../support/workspace.ts';

describe('what Node is told at the start', () => {
  const program = 'packages/app/src/main.ts';

  it('by `npm start`: no debugger on SIGUSR1, and nothing thrown away that makes it fast', () => {
    expect(nodeOptions).to.deep.equal([
      '--disable-sigusr1',
      '--no-memory-reducer',
      '--no-allocation-site-pretenuring',
    ]);
  });

  it('the same by systemd', () => {
    const [, ...words] = new UnitFile().one('ExecStart').split(' ');
    expect(words).to.deep.equal([...nodeOptions, program]);
  });

  it('the same in a container', () => {
    const [, command = '[]'] =
      /^CMD (\[.*\])$/m.exec(readFileSync(`${projectFolder}Dockerfile`, 'utf8')) ?? [];
    expect(JSON.parse(command)).to.deep.equal(['node', ...nodeOptions, program]);
  });
});
