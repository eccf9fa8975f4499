import { expect } from 'chai';
import { seed } from '../support/seed.ts';
import { hostileRun } from './run.ts';

describe(`contract: answers — ten thousand hostile requests to a service (SEED=${seed})`, () => {
  it('each answer is in the contract, 200 stores what was sent, nothing else stores, others are served', async () => {
    const { requests, statuses } = await hostileRun(10_000, seed);
    expect(requests).to.be.at.least(10_000);
    // Far enough into the service: a fifth of the requests is carried out.
    expect([...statuses.keys()]).to.include.members([200, 400, 401, 403, 404, 405, 413, 415, 422]);
    expect(statuses.get(200)).to.be.at.least(2_000);
  });
});
