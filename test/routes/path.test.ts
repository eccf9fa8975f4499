import { expect } from 'chai';
import { ask, pathOf } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const noCampaign = (named: string) =>
  JSON.stringify({ message: `No query results for model [Campaign] ${named}` });
const noRoute = (path: string) => JSON.stringify({ message: `The route ${path} could not be found.` });

/** As it stands in the path, and as the message names it. */
const identifiers: Record<string, readonly [string, string]> = {
  'one above the largest': ['9007199254740992', '9007199254740992'],
  zero: ['0', '0'],
  'a space in front': ['%201', ' 1'],
  'a line break behind': ['1%0A', '1\n'],
  'encoded digits, decoded in the message': ['%34%32', '42'],
  'an encoded percent sign, decoded once': ['%2531', '%31'],
  'one malformed among others, all as they stood': ['%31%zz', '%31%zz'],
  'encoded bytes that are not UTF-8, as they stood': ['%ff%31', '%ff%31'],
  'an encoded slash': ['4%2F2', '4/2'],
  '64 characters': ['a'.repeat(64), 'a'.repeat(64)],
  '65 characters, cut': ['a'.repeat(65), 'a'.repeat(64)],
  '65 astral characters, none cut in two': [`a${'%F0%9F%98%80'.repeat(65)}`, `a${'\u{1F600}'.repeat(63)}`],
  '70 characters as they stood, cut': ['%zz'.repeat(30), '%zz'.repeat(22).slice(0, 64)],
};

describe('contract: answers — path identifier', () => {
  const service = withHttpService();

  for (const [name, [segment, named]] of Object.entries(identifiers)) {
    it(`contract: answers — path identifier: ${name}`, async () => {
      const { status, body } = await ask(service(), { campaign: segment });
      expect([status, body]).to.deep.equal([404, noCampaign(named)]);
    });
  }

  it('contract: answers — path identifier: the spelling of one that exists is judged by its bytes', async () => {
    const { own } = service().campaigns;
    const encoded = [...String(own)].map((digit) => `%3${digit}`).join('');
    expect((await ask(service())).status).to.equal(200);
    for (const [segment, named] of [
      [`0${own}`, `0${own}`],
      [`+${own}`, `+${own}`],
      [encoded, String(own)],
    ]) {
      const { status, body } = await ask(service(), { campaign: String(segment) });
      expect([status, body]).to.deep.equal([404, noCampaign(String(named))]);
    }
  });
});

/** A path that is no route, by what is done to the good one. */
const unknown: Record<string, (good: string) => string> = {
  root: () => '/',
  'an empty segment for the campaign': () => pathOf(''),
  'a trailing slash': (good) => `${good}/`,
  'another case': (good) => good.replace('public', 'Public'),
  'a double slash in front': (good) => `/${good}`,
  'a double slash inside': (good) => good.replace('/v1', '//v1'),
  'an encoded letter': (good) => good.replace('public', '%70ublic'),
  'dot segments': (good) => `/x/..${good}`,
  'a fragment': (good) => `${good}#top`,
};

describe('contract: answers — route unknown', () => {
  const service = withHttpService();

  for (const [name, spoil] of Object.entries(unknown)) {
    it(`contract: answers — route unknown: ${name}`, async () => {
      const path = spoil(pathOf(service().campaigns.own));
      const { status, body } = await ask(service(), { target: path });
      expect([status, body]).to.deep.equal([404, noRoute(path)]);
    });
  }

  it('contract: answers — route unknown: the path is cut at 256 characters, and is never decoded', async () => {
    for (const [path, shown] of [
      [`/${'a'.repeat(255)}`, `/${'a'.repeat(255)}`],
      [`/${'a'.repeat(256)}`, `/${'a'.repeat(255)}`],
      ['/%zz%41', '/%zz%41'],
    ]) {
      const { status, body } = await ask(service(), { target: String(path) });
      expect([status, body]).to.deep.equal([404, noRoute(String(shown))]);
    }
  });

  it('contract: answers — route unknown: never the query, never the authority', async () => {
    for (const [target, shown] of [
      ['/x?key=secret', '/x'],
      ['http://user:secret@a/x', '/x'],
      ['HTTPS://a/x?secret', '/x'],
      ['http://a?secret', '/'],
    ]) {
      const { status, body } = await ask(service(), { target: String(target) });
      expect([status, body]).to.deep.equal([404, noRoute(String(shown))]);
    }
  });
});
