import { expect } from 'chai';
import { keptAlive, standing } from '../support/http/answer-rows.ts';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const allowed = 'https://tools.example';
const preflight = (origin: string, names?: string): Asking => ({
  method: 'OPTIONS',
  body: undefined,
  headers: {
    ...{ Origin: origin, Authorization: undefined, 'Access-Control-Request-Method': 'POST' },
    ...(names && { 'Access-Control-Request-Headers': names }),
  },
});

describe('contract: headers: only pages of the origins in CORS_ORIGINS can call', () => {
  const closed = withHttpService();
  const service = withHttpService({ origins: ['http://localhost:8080', allowed] }, closed);

  it('a page of another origin cannot call, and without CORS_ORIGINS no page can', async () => {
    const others = ['https://tools.example.evil.example', 'https://TOOLS.example', 'null'];
    for (const [of, expected, origins] of [
      [closed, [], [allowed]],
      [service, ['vary'], others],
    ] as const)
      for (const origin of origins)
        for (const asking of [preflight(origin), { headers: { Origin: origin } }]) {
          const names = Object.keys((await ask(of(), asking)).headers);
          const cors = names.filter((name) => name.startsWith('access-control-') || name === 'vary');
          expect(cors, origin).to.deep.equal(expected);
        }
  });

  it('a preflight from a listed origin is answered with the headers that it asks for', async () => {
    const names = 'authorization,content-type,sentry-trace, X-Any_thing.else';
    const {
      date: _,
      'x-request-id': __,
      ...headers
    } = (await ask(service(), preflight(allowed, names))).headers;
    expect(headers).to.deep.equal({
      ...standing,
      ...keptAlive,
      vary: 'Origin',
      'access-control-allow-origin': allowed,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': names,
      'access-control-max-age': '600',
    });
  });

  it('a page of a listed origin can read every answer', async () => {
    for (const more of [{}, { Authorization: undefined }, { Host: undefined }]) {
      const { headers } = await ask(service(), { headers: { Origin: allowed, ...more } });
      expect(headers).to.include({ vary: 'Origin', 'access-control-allow-origin': allowed });
      const exposed = String(headers['access-control-expose-headers']).split(', ');
      const some = ['ETag', 'X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'X-RateLimit-Limit'];
      expect(exposed).to.include.members(some);
    }
  });
});
