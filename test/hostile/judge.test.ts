import { expect } from 'chai';
import { json, standing } from '../support/http/answer-rows.ts';
import { checkStored, judged } from './judge.ts';
import { requestsIn } from './requests-in.ts';

const key = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const address = 'https://one.example/1';
const body = JSON.stringify({ mirror_endpoint: address });
const route = '/public/v1/mirror/campaign/1/mirror';
const request = (framing = `Content-Length: ${body.length}`, sent = body) =>
  [`POST ${route} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, framing, '', sent].join('\r\n');

const requestId = '00000000-0000-4000-8000-000000000000';
const time = '2026-11-20T15:36:00.123456Z';
const times = { updated_externally_at: time, created_at: time, updated_at: time };
const mirror = { id: 1, campaign_id: 1, target_url: address, clicks: 0, updated_externally: true, ...times };
function answer(status: string, said: object): string {
  const text = JSON.stringify(said);
  const own = { 'content-length': text.length, 'x-request-id': requestId, date: new Date(0).toUTCString() };
  const tag = status === '200 OK' && { etag: '"1"' };
  const lines = Object.entries({ ...standing, 'content-type': json, ...own, ...tag }).map((line) =>
    line.join(': '),
  );
  return [`HTTP/1.1 ${status}`, ...lines, '', text].join('\r\n');
}
const ok = answer('200 OK', { mirror });
const noRoute = 'The route /srv could not be found.';

const judge = (sent: string, received: string) =>
  judged({ sent: Buffer.from(sent), received: Buffer.from(received), wasBroken: false }, key);

const wrong: Readonly<Record<string, [sent: string, received: string]>> = {
  'an answer that breaks off': [request(), ok.slice(0, -1)],
  'an answer in HTML': [request(), ok.replace('application/json', 'text/html')],
  'no answer': [request(), ''],
  'two answers to one request': [request(), ok + ok],
  'an answer behind the last one': [
    request().repeat(2),
    ok.replace('date', 'connection: close\r\ndate') + ok,
  ],
  'a stack': [request(), answer('400 Bad Request', { message: 'Error: at /srv/app.ts:1' })],
  'a path that was not asked for': [request(), answer('404 Not Found', { message: noRoute })],
  'another address': [request(), ok.replace('example/1', 'example/2')],
  '200 for another key': [request().replace(key, `${key.slice(0, -1)}x`), ok],
  '200 for a GET': [request().replace('POST', 'GET'), ok],
  '200 for a bare line feed': [request().replace('\r\n', '\n'), ok],
};

describe('what judges hostile requests', () => {
  for (const [name, [sent, received]] of Object.entries(wrong))
    it(`finds ${name}`, () => expect(() => judge(sent, received)).to.throw());

  it('lets a right answer pass, and finds what is not stored, and what is stored without a 200', () => {
    const result = judge(request(), ok);
    const row = { campaign: 1, address, requestId };
    expect(result.acknowledged).to.deep.equal([row]);
    expect(() => checkStored([result], [row], [])).not.to.throw();
    expect(() => checkStored([result], [], [])).to.throw('answered with 200 and not stored');
    expect(() => checkStored([result], [row, row], [])).to.throw('stored without a 200');
  });

  it('takes chunks apart, and no framing that two readers may understand differently', () => {
    const chunked = (text: string) =>
      requestsIn(Buffer.from(request('Transfer-Encoding: chunked', text))).whole.map(({ body }) => `${body}`);
    expect(chunked('2;a=b\r\n{"\r\n1\r\na\r\n0\r\nX: y\r\n\r\n')).to.deep.equal(['{"a']);
    for (const text of ['2\n{"\r\n0\r\n\r\n', '2\r\n{"}\r\n0\r\n\r\n', '2\r\n{"\r\n0\r\n'])
      expect(chunked(text)).to.deep.equal([]);
  });
});
