import { expect } from 'chai';
import { askToSet } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const microseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

describe('contract: time', () => {
  const service = withHttpService();
  const set = async () => {
    const { body } = await askToSet(service(), 'https://example.com/');
    return JSON.parse(body).mirror;
  };

  it('contract: time — ISO 8601 in UTC with six fractional digits; created_at stays', async () => {
    const { campaigns, world } = service();
    const before = await world.others.mirror(campaigns.own);
    const mirror = await set();
    for (const key of ['updated_externally_at', 'created_at', 'updated_at']) {
      expect(mirror[key]).to.match(microseconds);
    }
    expect(mirror.updated_externally_at).to.equal(mirror.updated_at);
    expect(mirror.created_at).to.equal(before?.createdAt);
  });

  it('contract: the mirror — clicks are those that others counted meanwhile', async () => {
    const { campaigns, world } = service();
    expect((await set()).clicks).to.equal(0);
    for (let times = 1; times <= 3; times++) {
      await world.others.countClick(campaigns.own);
      expect((await set()).clicks).to.equal(times);
    }
  });
});
