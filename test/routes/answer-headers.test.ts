import { expect } from 'chai';
import type { RawResponse } from '../support/http/message.ts';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const origin = 'https://tools.example';
const corsNames = ({ headers }: RawResponse) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'vary');
const preflight: Asking = {
  method: 'OPTIONS',
  body: undefined,
  headers: {
    Origin: origin,
    Authorization: undefined,
    'Content-Type': undefined,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type',
  },
};

describe('headers for browsers, by default', () => {
  const service = withHttpService();

  it('no page of another origin may call, and OPTIONS is what it was', async () => {
    const answer = await ask(service(), preflight);
    expect([answer.status, answer.headers.allow, corsNames(answer)]).to.deep.equal([204, 'POST', []]);
    expect(corsNames(await ask(service(), { headers: { Origin: origin } }))).to.deep.equal([]);
  });
});

describe('headers for browsers, by setting', () => {
  const service = withHttpService({ origins: ['http://localhost:8080', origin] });

  it('a preflight of an origin on the list is told what it may send', async () => {
    const { status, headers, body } = await ask(service(), preflight);
    expect([status, body]).to.deep.equal([204, '']);
    expect(headers).to.include({
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Authorization, Content-Type, X-Request-Id',
      'access-control-max-age': '600',
    });
    expect(headers).not.to.have.property('access-control-allow-credentials');
  });

  it('its call is answered so that its page may read it, whatever the answer', async () => {
    const headers = { Origin: origin };
    for (const asking of [
      { headers },
      { headers: { ...headers, Authorization: undefined } },
      { headers, target: '/nowhere' },
      { headers: { ...headers, Expect: 'the-unexpected' } },
    ]) {
      const answer = await ask(service(), asking);
      expect(answer.headers).to.include({ vary: 'Origin', 'access-control-allow-origin': origin });
      const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
      expect(exposed).to.include.members(['X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'RateLimit']);
    }
  });

  for (const other of ['https://tools.example.evil.example', 'https://TOOLS.example', 'null']) {
    it(`${other} is not on the list`, async () => {
      for (const asking of [{}, preflight]) {
        const answer = await ask(service(), { ...asking, headers: { ...asking.headers, Origin: other } });
        expect(corsNames(answer)).to.deep.equal(['vary']);
      }
    });
  }
});
