import { expect } from 'chai';
import { outdated } from '../support/documents/generated.ts';

describe('documents that are made from the code', () => {
  it('are what it makes', async () => {
    expect([...(await outdated()).keys()], 'run npm run generate').to.deep.equal([]);
  });
});
