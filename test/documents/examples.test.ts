import { setMirrorRoute } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { blocksOf } from '../support/documents/blocks.ts';
import { examples, examplesText } from '../support/documents/examples.ts';
import { exampleContract } from '../support/documents/examples-contract.ts';
import { openapiText } from '../support/http/openapi-file.ts';

describe('docs/how-to/call-from-a-script.md', () => {
  it('each block is an example that a test runs, or the settings of all', () => {
    const tested = ['set-mirror.sh', 'set-mirror.mjs', 'set_mirror.py', 'set-mirror.php'];
    expect([...examples.keys()]).to.deep.equal(tested);
    const others = blocksOf(examplesText).filter(({ marker = '' }) => !marker.startsWith('example: '));
    expect(others.map(({ marker }) => marker)).to.deep.equal(['settings']);
  });

  it('says what to do after every status of the interface', async () => {
    const [table = ''] = /^\| status \| when \|.*(?:\n\|.*)*/m.exec(examplesText) ?? [];
    const told = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/\d+/g) ?? []);
    const { responses } = JSON.parse(openapiText).paths[setMirrorRoute].post;
    expect(told.toSorted()).to.deep.equal(Object.keys(responses));
  });
});

exampleContract({ file: 'set-mirror.sh', command: () => 'sh', repeatsFaults: true });
exampleContract({ file: 'set-mirror.mjs', command: () => process.execPath });
