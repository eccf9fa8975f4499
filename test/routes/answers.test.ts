import { STATUS_CODES } from 'node:http';
import { hostDenylist } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { closing, json, keptAlive, rows, standing } from '../support/http/answer-rows.ts';
import { ask, goodBody, newAddress } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

describe('contract: answers', () => {
  const deniedHosts = hostDenylist(['go.denied.example']);
  if ('notAHost' in deniedHosts) throw new Error(deniedHosts.notAHost);
  const service = withHttpService({ deniedHosts });

  for (const row of rows) {
    it(`contract: answers — ${row.case}`, async () => {
      const { status, reason, headers, body } = await ask(service(), row.asking(service()));
      const { date, 'x-request-id': requestId, ...others } = headers;
      expect([status, reason, body]).to.deep.equal([row.status, STATUS_CODES[row.status], row.body]);
      expect(others).to.deep.equal({
        ...standing,
        'content-type': json,
        'content-length': String(Buffer.byteLength(row.body)),
        ...row.headers,
        ...(row.closes ? closing : keptAlive),
      });
      expect(date).to.match(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
      expect(requestId).to.match(/^[\x21-\x7e]{1,128}$/);
    });
  }

  it('contract: answers — mirror set: 200, the keys in their order', async () => {
    const { campaigns, world } = service();
    const { status, reason, headers, body } = await ask(service());
    const stored = await world.others.mirror(campaigns.own);
    const expected = {
      mirror: {
        id: stored?.id,
        campaign_id: campaigns.own,
        target_url: newAddress,
        clicks: 0,
        updated_externally: true,
        updated_externally_at: stored?.updatedAt,
        created_at: stored?.createdAt,
        updated_at: stored?.updatedAt,
      },
    };
    expect([status, reason, body]).to.deep.equal([200, 'OK', JSON.stringify(expected)]);
    const { date: _, 'x-request-id': __, ...others } = headers;
    expect(others).to.deep.equal({
      ...standing,
      'content-type': json,
      'content-length': String(Buffer.byteLength(body)),
      ...keptAlive,
    });
  });

  it('contract: answers — OPTIONS: 204 with Allow, without a body', async () => {
    const { status, headers } = await ask(service(), { method: 'OPTIONS', body: undefined });
    const { date: _, 'x-request-id': __, ...others } = headers;
    expect(status).to.equal(204);
    expect(others).to.deep.equal({ ...standing, allow: 'POST', ...keptAlive });
  });

  const same = {
    'the four of an invalid key': ['unknown key', 'malformed key', 'expired key', 'revoked key'],
    'the three of an unauthorized action': ['mirror not created', 'default campaign', 'not the owner'],
  };
  for (const [name, cases] of Object.entries(same)) {
    it(`contract: answers — ${name} differ in Date and X-Request-Id only`, async () => {
      for (const body of [undefined, goodBody]) {
        const answers = [];
        for (const row of rows.filter((one) => cases.includes(one.case))) {
          const { headers, ...rest } = await ask(service(), { ...row.asking(service()), body });
          const names = Object.keys(headers);
          answers.push({ ...rest, names, headers: { ...headers, date: '', 'x-request-id': '' } });
        }
        expect(answers).to.have.length(cases.length);
        for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
      }
    });
  }

  it('contract: answers — JSON whatever Accept says', async () => {
    for (const Accept of ['text/html', 'application/xml;q=1', '', '*/*;q=0']) {
      const { status, headers } = await ask(service(), { headers: { Accept } });
      expect([status, headers['content-type']]).to.deep.equal([200, json]);
    }
  });
});
