import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { blocksOf } from '../support/documents/blocks.ts';
import { Sandbox } from '../support/embedded/embedded-sandbox.ts';
import { typescript } from '../support/typescript.ts';
import { projectFolder } from '../support/workspace.ts';

describe('the README of the package of the embedded database', () => {
  const sandbox = new Sandbox();
  after(() => sandbox.clean());

  it('has an example that compiles and runs', async () => {
    const readme = readFileSync(`${projectFolder}packages/embedded-postgres/README.md`, 'utf8');
    const [example, ...others] = blocksOf(readme);
    expect(others).to.deep.equal([]);
    const named = '/tmp/embedded-example';
    expect(example?.text).to.include(`'${named}'`);
    const folder = await sandbox.folder();
    const text = (example?.text ?? '').replace(named, folder);
    expect(await typescript({ 'example.ts': text })).to.match(/PostgreSQL \d+\.\d+/);
  });
});
