import { STATUS_CODES } from 'node:http';
import { Slots } from '@campaign-mirror/adapters-http';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { inOrder, json, keptAlive, rows, standing } from '../support/http/answer-rows.ts';
import { assertDocumented } from '../support/http/openapi-answers.ts';
import * as requests from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { denying } from '../support/store/world.ts';

const { ask } = requests;
/** Sent with every request, because it must not change an answer. */
const Accept = 'text/html';
const microseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const partsOf = ({ headers = {}, ...others }: requests.Asking) => [
  ...Object.keys(others),
  ...Object.keys(headers),
];

describe('contract: answers: each request gets the answer of the first check that it fails', () => {
  const service = withHttpService({ deniedHosts: denying('go.denied.example') });

  for (const { case: name, asking: askingOf, status, because, body, headers: own, closes } of rows)
    it(`${name}: the answer is ${status}, and the log says ${because}`, async () => {
      const asking = askingOf(service());
      const answer = await ask(service(), { ...asking, headers: { Accept, ...asking.headers } });
      const { date, 'x-request-id': requestId, ...headers } = answer.headers;
      expect([answer.status, answer.reason, answer.body]).to.deep.equal([status, STATUS_CODES[status], body]);
      expect(headers).to.deep.equal({
        ...{ ...standing, 'content-type': json, 'content-length': String(body.length), ...own },
        ...(closes ? { connection: 'close' } : keptAlive),
      });
      expect(date).to.match(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
      assertDocumented(answer);
      expect(await service().log.line(requestId)).to.include({ status, because });
    });

  for (const [at, { case: name, asking, status, because }] of inOrder.entries())
    it(`contract: order of checks: ${name} is answered before the later faults`, async () => {
      const first = asking(service());
      for (const later of inOrder.slice(at + 1)) {
        const second = later.asking(service());
        if (partsOf(first).some((part) => partsOf(second).includes(part))) continue;
        const headers = { ...second.headers, ...first.headers };
        const answer = await ask(service(), { ...second, ...first, headers });
        const line = await service().log.line(answer.headers['x-request-id']);
        expect([answer.status, line.because], later.case).to.deep.equal([status, because]);
      }
    });

  it('a refused request changes nothing', async () => {
    expect(await service().world.others.history(service().campaigns.own)).to.deep.equal([]);
  });

  it('Bearer is read in any case, with spaces around the key', async () => {
    const { valid } = service().keys;
    for (const Authorization of [`bEaReR ${valid}`, `Bearer     ${valid}`, `  Bearer ${valid}\t `])
      expect((await ask(service(), { headers: { Authorization } })).status).to.equal(200);
    for (const Authorization of ['Bearer', `Bearer ${valid} x`]) {
      const { status, headers } = await ask(service(), { headers: { Authorization } });
      expect([status, headers['www-authenticate']?.includes('invalid_token')]).to.deep.equal([401, true]);
    }
  });

  it('a 200 shows the mirror as it is stored, with the clicks that others counted', async () => {
    const { campaigns, world } = service();
    const before = await world.others.mirror(campaigns.own);
    for (let clicks = 0; clicks < 3; clicks++) {
      const answer = await ask(service(), { headers: { Accept } });
      const stored = await world.others.mirror(campaigns.own);
      const body = JSON.stringify({
        mirror: {
          id: before?.id,
          campaign_id: campaigns.own,
          target_url: requests.newAddress,
          clicks,
          updated_externally: true,
          updated_externally_at: stored?.updatedAt,
          created_at: before?.createdAt,
          updated_at: stored?.updatedAt,
        },
      });
      expect([answer.status, answer.reason, answer.body]).to.deep.equal([200, 'OK', body]);
      for (const time of [before?.createdAt, stored?.updatedAt]) expect(time).to.match(microseconds);
      assertDocumented(answer);
      const { date: _, 'x-request-id': __, ...headers } = answer.headers;
      const etag = `"${(await world.others.history(campaigns.own)).at(-1)?.id}"`;
      const length = { 'content-type': json, 'content-length': String(body.length) };
      expect(headers).to.deep.equal({ ...standing, ...length, ...keptAlive, etag });
      await world.others.countClick(campaigns.own);
    }
  });
});

const secret = 'postgres://user:hunter2@db.internal/campaigns select * from access_keys';
const forKoa = { status: 418, statusCode: 418, expose: true, headers: { 'X-Leak': secret } };
const faults: Record<string, unknown> = {
  'an error': new TypeError(secret, { cause: new Error(secret) }),
  'an error that Koa would show': Object.assign(new Error(secret), forKoa),
  'an error of the body parser': Object.assign(new Error(secret), { type: 'entity.too.large' }),
  undefined: undefined,
  Unavailable: new Unavailable(secret),
};

describe('contract: answers: a fault of the service is 500 or 503, and shows nothing of itself', () => {
  let fault: unknown;
  const setMirror = async () => {
    throw fault;
  };
  const service = withHttpService({
    // A fault that kept the only slot would refuse the next call.
    slots: new Slots(1),
    ports: ({ campaigns }) => ({ campaigns: { find: (id) => campaigns.find(id), setMirror } }),
  });

  for (const [name, error] of Object.entries(faults))
    it(`${name}: only the log has the error`, async () => {
      fault = error;
      const isAway = error instanceof Unavailable;
      const [status, message, because] = isAway
        ? [503, 'Service Unavailable', 'unavailable']
        : [500, 'Server Error', 'unexpected'];
      const answer = await ask(service());
      const body = JSON.stringify({ message });
      expect([answer.status, answer.body]).to.deep.equal([status, body]);
      assertDocumented(answer);
      const { date: _, 'x-request-id': requestId, ...headers } = answer.headers;
      const length = { 'content-type': json, 'content-length': String(body.length) };
      const expected = { ...length, ...standing, ...keptAlive, ...(isAway && { 'retry-after': '1' }) };
      expect(headers).to.deep.equal(expected);
      expect(service().log.faults.at(-1)).to.deep.equal({ requestId, error, because });
      expect(await service().log.line(requestId)).to.include({ status, because });
    });
});
