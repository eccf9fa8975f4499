import { Capacity } from '@campaign-mirror/adapters-http';
import { type CampaignRepository, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { ask } from '../support/http/request.ts';
import { type HttpServiceOptions, withHttpService } from '../support/http/service.ts';
import type { World } from '../support/store/world.ts';

const unknown = async () => undefined;

/** Which port fails, the others being the real ones; each fails in the way that it is told. */
const failing: Record<
  string,
  (world: World, fail: () => never) => ReturnType<NonNullable<HttpServiceOptions['ports']>>
> = {
  'Identity.whoIs': (_, fail) => ({ identity: { claimedBy: unknown, whoIs: async () => fail() } }),
  'CampaignRepository.find': ({ campaigns, identity }, fail) => ({
    identity: { claimedBy: unknown, whoIs: (key) => identity.whoIs(key) },
    campaigns: { find: async () => fail(), setMirror: (seen, change) => campaigns.setMirror(seen, change) },
  }),
  'CampaignRepository.setMirror': ({ campaigns }, fail) => ({
    campaigns: { find: (id) => campaigns.find(id), setMirror: async () => fail() } as CampaignRepository,
  }),
};

const secret = 'postgres://user:hunter2@db.internal/campaigns select * from access_keys';
const forCallers = { status: 418, statusCode: 418, expose: true, headers: { 'X-Leak': secret } };
const unexpected: Record<string, unknown> = {
  'an Error': new TypeError(secret, { cause: new Error(secret) }),
  'an error that Koa would show': Object.assign(new Error(secret), forCallers),
  'an error of a body': Object.assign(new Error(secret), { type: 'entity.too.large' }),
  undefined: undefined,
};

describe('contract: answers — 500 and 503, by port', () => {
  const data = withHttpService();
  // With one place: a fault that kept it would leave none to the next.
  const capacity = new Capacity({ inFlight: 1 });
  for (const [port, broken] of Object.entries(failing)) {
    describe(port, () => {
      let fault: unknown;
      const fail = () => {
        throw fault;
      };
      const service = withHttpService({ capacity, ports: (world) => broken(world, fail) }, data);

      /** The whole answer is the expected one, so nothing of the fault is in it; the log has the reason. */
      async function expectAnswer(status: number, message: string, because: string, more = {}) {
        const answer = await ask(service());
        const { date: _, 'x-request-id': requestId, ...headers } = answer.headers;
        expect([answer.status, answer.body]).to.deep.equal([status, JSON.stringify({ message })]);
        const length = String(answer.body.length);
        const expected = { 'content-type': json, 'content-length': length, ...standing, ...keptAlive };
        expect(headers).to.deep.equal({ ...expected, ...more });
        expect(service().log.faults.at(-1)).to.include({ requestId, because });
        expect(await service().log.line(String(requestId))).to.include({ status, because });
      }

      for (const [name, one] of Object.entries(unexpected)) {
        it(`contract: answers — anything else is 500: ${name}`, async () => {
          fault = one;
          await expectAnswer(500, 'Server Error', 'unexpected');
        });
      }

      it('contract: answers — database away: 503 with Retry-After', async () => {
        fault = new Unavailable(secret, { cause: new Error(secret) });
        await expectAnswer(503, 'Service Unavailable', 'unavailable', { 'retry-after': '1' });
      });
    });
  }
});
