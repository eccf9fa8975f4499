import { expect } from 'chai';
import { ask, askToSet } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const microseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

describe('contract: time', () => {
  const service = withHttpService();
  const set = async () => {
    const { body } = await askToSet(service(), 'https://example.com/');
    return JSON.parse(body).mirror;
  };

  it('contract: time — timestamps are ISO 8601 in UTC with six fractional digits', async () => {
    const mirror = await set();
    for (const key of ['updated_externally_at', 'created_at', 'updated_at']) {
      expect(mirror[key]).to.match(microseconds);
      expect(new Date(mirror[key]).toISOString()).to.equal(`${mirror[key].slice(0, 23)}Z`);
    }
  });

  it('contract: time — updated_externally_at equals updated_at; created_at stays', async () => {
    const { campaigns, world } = service();
    const before = await world.others.mirror(campaigns.own);
    const mirror = await set();
    expect(mirror.updated_externally).to.equal(true);
    expect(mirror.updated_externally_at).to.equal(mirror.updated_at);
    expect(mirror.created_at).to.equal(before?.createdAt);
  });

  it('contract: time — the history row and the log line of the request are of this update', async () => {
    const { campaigns, world, log } = service();
    const { headers, body } = await ask(service());
    const requestId = String(headers['x-request-id']);
    const row = (await world.others.history(campaigns.own)).at(-1);
    expect(row).to.include({ requestId, changedAt: JSON.parse(body).mirror.updated_at });
    expect(await log.line(requestId)).to.include({ status: 200 });
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
