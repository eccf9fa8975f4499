import { expect } from 'chai';
import { Accounts } from './judged/accounts.ts';
import { judged } from './judged/judge.ts';
import { requestsIn } from './judged/requests-in.ts';

const key = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const address = 'https://one.example/1';
const body = JSON.stringify({ mirror_endpoint: address });
const route = '/public/v1/mirror/campaign/1/mirror';
const request = (lines = [`Content-Length: ${body.length}`], sent = body, start = `POST ${route} HTTP/1.1`) =>
  [start, 'Host: a', `Authorization: Bearer ${key}`, ...lines, '', sent].join('\r\n');

const requestId = '00000000-0000-4000-8000-000000000000';
const mirror = {
  ...{ id: 1, campaign_id: 1, target_url: address, clicks: 0, updated_externally: true },
  updated_externally_at: '2026-11-20T15:36:00.123456Z',
  ...{ created_at: '2026-11-20T15:36:00.123456Z', updated_at: '2026-11-20T15:36:00.123456Z' },
};
const answer = (status: string, text: string) =>
  [
    `HTTP/1.1 ${status}`,
    ...['X-Content-Type-Options: nosniff', 'Referrer-Policy: no-referrer', 'Cache-Control: no-store'],
    ...['Content-Type: application/json; charset=utf-8', `Content-Length: ${text.length}`],
    ...[`X-Request-Id: ${requestId}`, 'Date: Tue, 24 Nov 2026 06:00:00 GMT'],
    '',
    text,
  ].join('\r\n');
const told = (message: string) => JSON.stringify({ message });
const ok = answer('200 OK', JSON.stringify({ mirror }));

const judge = (sent: string, received: string) =>
  judged(
    { sent: Buffer.from(sent, 'latin1'), received: Buffer.from(received, 'latin1'), wasBroken: false },
    key,
  );

const wrong: Readonly<Record<string, [sent: string, received: string]>> = {
  'an answer that breaks off': [request(), ok.slice(0, -1)],
  'an answer in HTML': [request(), ok.replace('application/json', 'text/html')],
  'no answer': [request(), ''],
  'two answers to one request': [request(), ok + ok],
  'an answer behind the last one': [
    request() + request(),
    ok.replace('Date', 'Connection: close\r\nDate') + ok,
  ],
  'a stack': [request(), answer('400 Bad Request', told('Error: at /srv/app.ts:1'))],
  'a path that was not asked for': [
    request(),
    answer('404 Not Found', told('The route /srv could not be found.')),
  ],
  'another address': [request(), ok.replace('example/1', 'example/2')],
  '200 for another key': [request().replace(key, `${key.slice(0, -1)}x`), ok],
  '200 for a GET': [request(undefined, undefined, `GET ${route} HTTP/1.1`), ok],
  '200 for a bare line feed': [request().replace('\r\n', '\n'), ok],
};

describe('what judges hostile requests', () => {
  it('lets a right answer pass, and knows what it stores', () => {
    const { acknowledged } = judge(request(), ok);
    expect(acknowledged).to.deep.equal([{ campaign: 1, address, requestId }]);
  });

  for (const [name, [sent, received]] of Object.entries(wrong))
    it(`finds ${name}`, () => {
      expect(() => judge(sent, received)).to.throw();
    });

  it('finds what is not stored, and what is stored without a 200', () => {
    const result = judge(request(), ok);
    const [row = { campaign: 0, address: '', requestId: '' }] = result.acknowledged;
    expect(() => new Accounts().check([result], [row])).not.to.throw();
    expect(() => new Accounts().check([result], [])).to.throw('answered with 200 and not stored');
    expect(() => new Accounts().check([result], [row, row])).to.throw('stored without a 200');
  });

  it('takes chunks apart, and no framing that two readers may understand differently', () => {
    const chunked = (text: string) =>
      requestsIn(Buffer.from(request(['Transfer-Encoding: chunked'], text))).whole.map((one) =>
        one.body.toString(),
      );
    expect(chunked('2;a=b\r\n{"\r\n1\r\na\r\n0\r\nX: y\r\n\r\n')).to.deep.equal(['{"a']);
    for (const text of ['2\n{"\r\n0\r\n\r\n', '2\r\n{"}\r\n0\r\n\r\n', '2\r\n{"\r\n0\r\n'])
      expect(chunked(text)).to.deep.equal([]);
  });
});
