import { METHODS } from 'node:http';
import { expect } from 'chai';
import { keptAlive, standing } from '../support/http/answer-rows.ts';
import { ask, pathOf } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const campaign = (segment: string, shown = segment) =>
  [pathOf(segment), `No query results for model [Campaign] ${shown}`] as const;
const route = (target: string, shown = target) => [target, `The route ${shown} could not be found.`] as const;

/** `own` is a campaign that the caller may change. */
const cases: Record<string, (own: number) => readonly [target: string, message: string]> = {
  'an identifier above 2^53-1': () => campaign('9007199254740992'),
  'encoded digits': (own) => campaign(String(own).replaceAll(/\d/g, '%3$&')),
  'a line break after the digits': () => campaign('1%0D'),
  'a malformed encoding': () => campaign('%31%zz'),
  'an encoding that is not UTF-8': () => campaign('%ff%31'),
  'an encoded slash': () => campaign('4%2F2'),
  'an identifier of 65 characters, cut': () => campaign('a'.repeat(65), 'a'.repeat(64)),
  'an encoding that is cut': () => campaign('%F0%9F%98%80'.repeat(6), `${'%F0%9F%98%80'.repeat(5)}%F0%`),
  'no identifier': () => route(pathOf('')),
  'a trailing slash': (own) => route(`${pathOf(own)}/`),
  'a double slash at the start': (own) => route(`/${pathOf(own)}`),
  'a double slash inside': (own) => route(pathOf(own).replace('/v1', '//v1')),
  'an encoded letter': (own) => route(pathOf(own).replace('public', '%70ublic')),
  'dot segments': (own) => route(`/x/..${pathOf(own)}`),
  'a path of 257 characters, cut': () => route(`/${'a'.repeat(256)}`, `/${'a'.repeat(255)}`),
  'a query, which is not shown': () => route('/x?key=secret', '/x'),
  'an authority, which is not shown': () => route('http://user:secret@a/x', '/x'),
  'an authority without a path': () => route('http://a?secret', '/'),
};

describe('contract: the path: only exact bytes name the route and a campaign', () => {
  const service = withHttpService();

  for (const [name, caseOf] of Object.entries(cases))
    it(`${name}: the answer is 404`, async () => {
      const [target, message] = caseOf(service().campaigns.own);
      const { status, body } = await ask(service(), { target });
      expect([status, JSON.parse(body)]).to.deep.equal([404, { message }]);
    });

  it('a method other than POST and OPTIONS is 405', async () => {
    for (const method of METHODS) {
      if (['POST', 'OPTIONS', 'HEAD', 'CONNECT'].includes(method)) continue;
      const { status, headers, body } = await ask(service(), { method, body: undefined });
      expect([status, headers.allow]).to.deep.equal([405, 'POST']);
      expect(body).to.include(`The ${method} method is not supported for this route.`);
    }
  });

  it('OPTIONS needs no key, and is 204 only on this route', async () => {
    const asking = { method: 'OPTIONS', headers: { Authorization: undefined }, body: undefined };
    const { status, headers } = await ask(service(), { ...asking, campaign: 'x' });
    const { date: _, 'x-request-id': __, ...others } = headers;
    expect([status, others]).to.deep.equal([204, { ...standing, allow: 'POST', ...keptAlive }]);
    for (const target of ['*', '/nowhere'])
      expect((await ask(service(), { ...asking, target })).status).to.equal(404);
  });
});
