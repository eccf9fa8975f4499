import { setMirrorRoute } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { openapiText } from '../support/http/openapi-answers.ts';
import { read } from '../support/workspace.ts';
import { exampleContract } from './examples-contract.ts';

describe('docs/how-to/call-from-a-script.md', () => {
  it('says what to do after every status of the interface', async () => {
    const page = await read('docs/how-to/call-from-a-script.md');
    const [table = ''] = /^\| status \| when \|.*(?:\n\|.*)*/m.exec(page) ?? [];
    const told = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/\d+/g) ?? []);
    const { responses } = JSON.parse(openapiText).paths[setMirrorRoute].post;
    expect(told.toSorted()).to.deep.equal(Object.keys(responses));
  });
});

exampleContract({ file: 'set-mirror.sh', command: () => 'sh', repeatsFaults: true });
exampleContract({ file: 'set-mirror.mjs', command: () => process.execPath });
