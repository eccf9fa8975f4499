import { expect } from 'chai';
import { keptAlive, standing } from '../support/http/answer-rows.ts';
import type { RawResponse } from '../support/http/connection.ts';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const origin = 'https://tools.example';
const Origin = { Origin: origin };
const corsNames = ({ headers }: RawResponse) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'vary');
const preflight: Asking = {
  method: 'OPTIONS',
  body: undefined,
  headers: { ...Origin, Authorization: undefined, 'Access-Control-Request-Method': 'POST' },
};
const asking = (names: string): Asking => ({
  ...preflight,
  headers: { ...preflight.headers, 'Access-Control-Request-Headers': names },
});

describe('contract: headers: for browsers', () => {
  const closed = withHttpService();
  const service = withHttpService({ origins: ['http://localhost:8080', origin] }, closed);

  it('no page of another origin may call by default, and OPTIONS is what it was', async () => {
    const answer = await ask(closed(), preflight);
    expect([answer.status, answer.headers.allow, corsNames(answer)]).to.deep.equal([204, 'POST', []]);
    expect(corsNames(await ask(closed(), { headers: Origin }))).to.deep.equal([]);
  });

  it('a preflight of an origin on the list is told what it may send', async () => {
    const names = 'authorization,content-type,sentry-trace, X-Any_thing.else';
    const { date: _, 'x-request-id': __, ...headers } = (await ask(service(), asking(names))).headers;
    expect(headers).to.deep.equal({
      ...standing,
      ...keptAlive,
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': names,
      'access-control-max-age': '600',
    });
  });

  it('its page may read its answer, whatever that is', async () => {
    for (const more of [{}, { Authorization: undefined }, { Host: undefined }]) {
      const { headers } = await ask(service(), { headers: { ...Origin, ...more } });
      expect(headers).to.include({ vary: 'Origin', 'access-control-allow-origin': origin });
      const exposed = String(headers['access-control-expose-headers']).split(', ');
      const some = ['ETag', 'X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'X-RateLimit-Limit'];
      expect(exposed).to.include.members(some);
    }
  });

  for (const other of ['https://tools.example.evil.example', 'https://TOOLS.example', 'null'])
    it(`${other} is not on the list`, async () => {
      for (const asking of [{}, preflight]) {
        const answer = await ask(service(), { ...asking, headers: { ...asking.headers, Origin: other } });
        expect(corsNames(answer)).to.deep.equal(['vary']);
      }
    });
});
