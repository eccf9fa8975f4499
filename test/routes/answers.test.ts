import { STATUS_CODES } from 'node:http';
import { Slots } from '@campaign-mirror/adapters-http';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { inOrder, json, keptAlive, rows, standing } from '../support/http/answer-rows.ts';
import {
  type Asking,
  ask,
  chunkedBytes,
  exchange,
  goodBody,
  newAddress,
  requestBytes,
} from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { denying } from '../support/store/world.ts';

const microseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
/** Of every answer, so that `Accept` is seen to change nothing. */
const Accept = 'text/html';
const parts = ({ headers = {}, ...others }: Asking) => [...Object.keys(others), ...Object.keys(headers)];
/** Whether a request can be wrong in both ways. */
const areApart = (one: Asking, other: Asking) => !parts(one).some((part) => parts(other).includes(part));

describe('contract: answers', () => {
  const service = withHttpService({ deniedHosts: denying('go.denied.example') });

  for (const row of rows)
    it(`${row.case}: ${row.status}, and its line in the log`, async () => {
      const asking = row.asking(service());
      const answer = await ask(service(), { ...asking, headers: { Accept, ...asking.headers } });
      const { date, 'x-request-id': requestId, ...headers } = answer.headers;
      const { status, reason, body } = answer;
      expect([status, reason, body]).to.deep.equal([row.status, STATUS_CODES[row.status], row.body]);
      expect(headers).to.deep.equal({
        ...standing,
        'content-type': json,
        'content-length': String(row.body.length),
        ...row.headers,
        ...(row.closes ? { connection: 'close' } : keptAlive),
      });
      expect(date).to.match(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
      expect(await service().log.line(requestId)).to.include({ status, because: row.because });
    });

  const answerTo = async (asking: Asking) => {
    const { status, headers } = await ask(service(), asking);
    const { because } = await service().log.line(headers['x-request-id']);
    return { status, because };
  };
  for (const [at, { case: name, asking, status, because }] of inOrder.entries())
    it(`contract: order of checks: ${name} before whatever comes after it`, async () => {
      const first = asking(service());
      for (const later of inOrder.slice(at + 1)) {
        const second = later.asking(service());
        if (!areApart(first, second)) continue;
        const both = { ...second, ...first, headers: { ...second.headers, ...first.headers } };
        expect(await answerTo(both), later.case).to.deep.equal({ status, because });
      }
    });

  it('contract: order of checks: a size that is seen while the body is read, before the key', async () => {
    const headers = { Authorization: `Bearer ${service().keys.unknown}` };
    const bytes = chunkedBytes(service(), [goodBody, ' '.repeat(16_385)], { headers });
    expect((await exchange(service(), bytes)).status).to.equal(413);
  });

  it('contract: order of checks: several keys, in another case, far behind 3,000 other headers', async () => {
    const [head = ''] = requestBytes(service()).toString().split('\r\n\r\n');
    const another = `aUTHORIZATION: Bearer ${service().keys.valid}`;
    const hidden = `${head}\r\n${'a:\r\n'.repeat(3_000)}${another}\r\n\r\n${goodBody}`;
    expect((await exchange(service(), hidden)).body).to.include('More than one Authorization header.');
  });

  it('nothing was set by any of these', async () => {
    expect(await service().world.others.history(service().campaigns.own)).to.deep.equal([]);
  });

  const authorizations: Record<number, (key: string) => readonly string[]> = {
    200: (key) => [`bEaReR ${key}`, `Bearer     ${key}`, `  Bearer ${key}\t `],
    401: (key) => ['Bearer', `Bearer ${key} x`],
  };
  for (const [status, valuesOf] of Object.entries(authorizations))
    it(`contract: order of checks, 3: authorization: ${status}`, async () => {
      for (const Authorization of valuesOf(service().keys.valid)) {
        const answer = await ask(service(), { headers: { Authorization } });
        expect(answer.status).to.equal(Number(status));
        if (status === '401') expect(answer.headers['www-authenticate']).to.include('invalid_token');
      }
    });

  it('the mirror set: 200, the keys in their order, the clicks that others have counted, the times', async () => {
    const { campaigns, world } = service();
    const before = await world.others.mirror(campaigns.own);
    for (let clicks = 0; clicks < 3; clicks++) {
      const answer = await ask(service(), { headers: { Accept } });
      const stored = await world.others.mirror(campaigns.own);
      const body = JSON.stringify({
        mirror: {
          id: before?.id,
          campaign_id: campaigns.own,
          target_url: newAddress,
          clicks,
          updated_externally: true,
          updated_externally_at: stored?.updatedAt,
          created_at: before?.createdAt,
          updated_at: stored?.updatedAt,
        },
      });
      expect([answer.status, answer.reason, answer.body]).to.deep.equal([200, 'OK', body]);
      for (const time of [before?.createdAt, stored?.updatedAt]) expect(time).to.match(microseconds);
      const { date: _, 'x-request-id': __, ...headers } = answer.headers;
      const [last] = (await world.others.history(campaigns.own)).slice(-1);
      const length = { 'content-type': json, 'content-length': String(body.length) };
      expect(headers).to.deep.equal({ ...standing, ...length, ...keptAlive, etag: `"${last?.id}"` });
      await world.others.countClick(campaigns.own);
    }
  });
});

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
    // With one slot: a fault that kept it would leave none to the next.
    slots: new Slots(1),
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
