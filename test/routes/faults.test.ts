import { Capacity } from '@campaign-mirror/adapters-http';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const secret = 'postgres://user:hunter2@db.internal/campaigns select * from access_keys';
const forCallers = { status: 418, statusCode: 418, expose: true, headers: { 'X-Leak': secret } };
const unexpected = [500, 'Server Error', 'unexpected'] as const;
const faults: Record<string, readonly [unknown, number, string, string]> = {
  'an Error': [new TypeError(secret, { cause: new Error(secret) }), ...unexpected],
  'an error that Koa would show': [Object.assign(new Error(secret), forCallers), ...unexpected],
  'an error of a body': [Object.assign(new Error(secret), { type: 'entity.too.large' }), ...unexpected],
  undefined: [undefined, ...unexpected],
  'what is unavailable': [new Unavailable(secret), 503, 'Service Unavailable', 'unavailable'],
};

describe('contract: answers: faults of the service', () => {
  let fault: unknown;
  const setMirror = async () => {
    throw fault;
  };
  const service = withHttpService({
    // With one place: a fault that kept it would leave none to the next.
    capacity: new Capacity({ inFlight: 1 }),
    ports: ({ campaigns }) => ({ campaigns: { find: (id) => campaigns.find(id), setMirror } }),
  });

  for (const [name, [thrown, status, message, because]] of Object.entries(faults))
    it(`${name}: ${status}, nothing of it in the answer, and its line in the log`, async () => {
      fault = thrown;
      const answer = await ask(service());
      expect([answer.status, answer.body]).to.deep.equal([status, JSON.stringify({ message })]);
      const { date: _, 'x-request-id': requestId, ...headers } = answer.headers;
      expect(headers).to.deep.equal({
        'content-type': json,
        'content-length': String(answer.body.length),
        ...standing,
        ...keptAlive,
        ...(status === 503 && { 'retry-after': '1' }),
      });
      expect(service().log.faults.at(-1)).to.deep.equal({ requestId, error: thrown, because });
      expect(await service().log.line(requestId)).to.include({ status, because });
    });
});
