import { METHODS } from 'node:http';
import { expect } from 'chai';
import { keptAlive, standing } from '../support/http/answer-rows.ts';
import { ask, pathOf } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

/** A segment that names no campaign, and how the message has it. */
const campaign = (segment: string, named = segment) =>
  [pathOf(segment), `No query results for model [Campaign] ${named}`] as const;
/** A target that is no route, and how the message has it. */
const route = (target: string, named = target) => [target, `The route ${named} could not be found.`] as const;
const spoilt = (own: number, part: string, by: string) => route(pathOf(own).replace(part, by));

/** `own` is a campaign that is there, and whose mirror the caller may set. */
const cases: Record<string, (own: number) => readonly [target: string, message: string]> = {
  'an identifier above the largest': () => campaign('9007199254740992'),
  'encoded digits of one that is there': (own) => campaign(String(own).replaceAll(/\d/g, '%3$&')),
  'a line break behind': () => campaign('1%0D'),
  'one malformed among others, all as they stood': () => campaign('%31%zz'),
  'encoded bytes that are not UTF-8, as they stood': () => campaign('%ff%31'),
  'an encoded slash': () => campaign('4%2F2'),
  '65 characters, cut': () => campaign('a'.repeat(65), 'a'.repeat(64)),
  'an encoded character, cut as it stood': () =>
    campaign('%F0%9F%98%80'.repeat(6), `${'%F0%9F%98%80'.repeat(5)}%F0%`),
  'no campaign': () => route(pathOf('')),
  'a trailing slash': (own) => route(`${pathOf(own)}/`),
  'a double slash in front': (own) => route(`/${pathOf(own)}`),
  'a double slash inside': (own) => spoilt(own, '/v1', '//v1'),
  'an encoded letter, not decoded': (own) => spoilt(own, 'public', '%70ublic'),
  'dot segments': (own) => route(`/x/..${pathOf(own)}`),
  '257 characters, cut': () => route(`/${'a'.repeat(256)}`, `/${'a'.repeat(255)}`),
  'a query, which is not told': () => route('/x?key=secret', '/x'),
  'an authority, which is not told': () => route('http://user:secret@a/x', '/x'),
  'an authority without a path': () => route('http://a?secret', '/'),
};

const notSupported = (method: string) =>
  `{"message":"The ${method} method is not supported for this route. Supported methods: POST."}`;

describe('contract: the path, and the method', () => {
  const service = withHttpService();

  for (const [name, given] of Object.entries(cases))
    it(`${name}: 404`, async () => {
      const [target, message] = given(service().campaigns.own);
      const { status, body } = await ask(service(), { target });
      expect([status, JSON.parse(body)]).to.deep.equal([404, { message }]);
    });

  it('all methods but POST and OPTIONS: 405', async () => {
    for (const method of METHODS) {
      if (['POST', 'OPTIONS', 'HEAD', 'CONNECT'].includes(method)) continue;
      const { status, headers, body } = await ask(service(), { method, body: undefined });
      expect([status, headers.allow]).to.deep.equal([405, 'POST']);
      expect(body).to.equal(notSupported(method));
    }
  });

  it('OPTIONS needs no key and no campaign, and answers on this route only', async () => {
    const asking = { method: 'OPTIONS', headers: { Authorization: undefined }, body: undefined };
    const { status, headers } = await ask(service(), { ...asking, campaign: 'x' });
    const { date: _, 'x-request-id': __, ...others } = headers;
    expect([status, others]).to.deep.equal([204, { ...standing, allow: 'POST', ...keptAlive }]);
    for (const target of ['*', '/nowhere'])
      expect((await ask(service(), { ...asking, target })).status).to.equal(404);
  });
});
