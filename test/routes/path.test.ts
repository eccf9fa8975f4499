import { METHODS } from 'node:http';
import { expect } from 'chai';
import { keptAlive, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, exchange, pathOf, requestBytes, servesOn } from '../support/http/request.ts';
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
  zero: () => campaign('0'),
  'a leading zero': (own) => campaign(`0${own}`),
  'a sign': (own) => campaign(`+${own}`),
  'encoded digits of one that is there': (own) =>
    campaign(String(own).replaceAll(/\d/g, '%3$&'), String(own)),
  'a space in front': () => campaign('%201', ' 1'),
  'a line break behind': () => campaign('1%0A', '1\n'),
  'an encoded percent sign, decoded once': () => campaign('%2531', '%31'),
  'one malformed among others, all as they stood': () => campaign('%31%zz'),
  'encoded bytes that are not UTF-8, as they stood': () => campaign('%ff%31'),
  'an encoded slash': () => campaign('4%2F2', '4/2'),
  '64 characters': () => campaign('a'.repeat(64)),
  '65 characters, cut': () => campaign('a'.repeat(65), 'a'.repeat(64)),
  '65 astral characters, none cut in two': () =>
    campaign(`a${'%F0%9F%98%80'.repeat(65)}`, `a${'\u{1F600}'.repeat(63)}`),
  '70 characters as they stood, cut': () => campaign('%zz'.repeat(30), '%zz'.repeat(22).slice(0, 64)),
  root: () => route('/'),
  'no campaign': () => route(pathOf('')),
  'a trailing slash': (own) => route(`${pathOf(own)}/`),
  'another case': (own) => spoilt(own, 'public', 'Public'),
  'a double slash in front': (own) => route(`/${pathOf(own)}`),
  'a double slash inside': (own) => spoilt(own, '/v1', '//v1'),
  'an encoded letter, not decoded': (own) => spoilt(own, 'public', '%70ublic'),
  'dot segments': (own) => route(`/x/..${pathOf(own)}`),
  'a fragment': (own) => route(`${pathOf(own)}#top`),
  '256 characters of a path': () => route(`/${'a'.repeat(255)}`),
  '257 characters, cut': () => route(`/${'a'.repeat(256)}`, `/${'a'.repeat(255)}`),
  'a query, which is not told': () => route('/x?key=secret', '/x'),
  'an authority, which is not told': () => route('http://user:secret@a/x', '/x'),
  'both, in capitals': () => route('HTTPS://a/x?secret', '/x'),
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

  it('HEAD has the headers of its answer, and no body', async () => {
    const bytes = requestBytes(service(), { method: 'HEAD', body: undefined });
    const connection = await RawConnection.open(service().port, bytes);
    const { status, headers } = await connection.response({ toHead: true });
    expect([status, headers['content-length']]).to.deep.equal([405, String(notSupported('HEAD').length)]);
    await servesOn(service(), connection);
  });

  it('OPTIONS needs no key, and answers on this route only', async () => {
    const asking = { method: 'OPTIONS', headers: { Authorization: undefined }, body: undefined };
    for (const campaign of [service().campaigns.own, 'x']) {
      const { status, headers } = await ask(service(), { ...asking, campaign });
      const { date: _, 'x-request-id': __, ...others } = headers;
      expect(status).to.equal(204);
      expect(others).to.deep.equal({ ...standing, allow: 'POST', ...keptAlive });
    }
    for (const target of ['*', '/nowhere'])
      expect((await ask(service(), { ...asking, target })).status).to.equal(404);
  });

  it("CONNECT keeps the caller's X-Request-Id, and a caller that resets it does no harm", async () => {
    const head = `CONNECT ${pathOf(1)} HTTP/1.1\r\nHost: a\r\nX-Request-Id: tunnel\r\n\r\n`;
    const { status, headers } = await exchange(service(), `${head}what goes through a tunnel`);
    expect([status, headers['x-request-id']]).to.deep.equal([405, 'tunnel']);
    expect(await service().log.line('tunnel')).to.include({ method: 'CONNECT', route: '-', status: 405 });
    const connection = await RawConnection.open(service().port, head.replace('tunnel', 'reset'));
    await connection.reset();
    expect((await ask(service())).status).to.equal(200);
  });
});
