import { expect } from 'chai';
import * as fc from 'fast-check';
import { seed } from '../support/seed.ts';
import { conversation } from './requests/conversation.ts';
import { openTrial } from './trial.ts';

/** REQUESTS in the environment asks for more: so many at least. */
const requests = Number(process.env.REQUESTS ?? 10_000);
/** So many a batch come on average, in conversations of one or two. */
const together = 40;

describe(`contract: answers — ten thousand hostile requests to a service (SEED=${seed})`, () => {
  let trial: Awaited<ReturnType<typeof openTrial>>;
  before(async () => {
    trial = await openTrial();
  });
  after(() => trial?.close());

  it('each answer is in the contract, 200 stores what was sent, nothing else stores, others are served', async function () {
    if (process.env.REQUESTS) this.timeout(0);
    const counts = new Map<number, number>();
    const property = fc.asyncProperty(fc.array(conversation, { maxLength: 60, size: 'max' }), async (all) => {
      for (const status of (await trial.batch(all)).flatMap(({ statuses }) => statuses))
        counts.set(status, (counts.get(status) ?? 0) + 1);
    });
    await fc.assert(property, { seed, numRuns: Math.ceil(requests / together) });
    await trial.end();
    // Far enough into the service: a fifth of the requests is carried out.
    expect([...counts.keys()]).to.include.members([200, 400, 401, 403, 404, 405, 413, 415, 422]);
    expect(counts.get(200)).to.be.at.least(requests / 5);
  });
});
