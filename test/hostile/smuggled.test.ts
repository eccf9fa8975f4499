import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const usual = 'Content-Length: <LENGTH>';
const chunked = 'Transfer-Encoding: chunked';
const http2 = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ';

/** Headers that some readers take for another length; `<LENGTH>` stands for the right one. */
const lengths: readonly string[] = [
  ...['', 'Content-Length: 0', `${usual}\r\n${usual}`, `${usual}, <LENGTH>`, 'Content_Length: <LENGTH>'],
  ...[`Content-Length: 0\r\n${usual}`, `${usual}\r\n${chunked}`, `${usual}\r\nTransfer-Encoding:`],
  ...[`Connection: Content-Length\r\n${usual}`, `Expect: 100-continue\r\n${usual}`, `${http2}\r\n${usual}`],
  ...['Content-Length: +<LENGTH>', 'Content-Length: 0<LENGTH>', 'Content-Length: 0x<LENGTH>'],
  ...['Content-Length : <LENGTH>', 'Content-Length:\r\n <LENGTH>', `Content-Length: ${2n ** 64n + 1n}`],
];
/** Headers that only some readers take for the chunked coding. */
const codings: readonly string[] = [
  ...[chunked, 'transfer-encoding:CHUNKED', `${chunked}\r\n${chunked}`, 'Transfer-Encoding: gzip, chunked'],
  ...[`${chunked}, identity`, `${chunked};q=1`, 'Transfer-Encoding : chunked', `X: a\n${chunked}`],
  ...['Transfer-Encoding:\x0bchunked', 'Transfer-Encoding:\r\n chunked', `${chunked}\r\nContent-Length: 5`],
  ...[`${chunked}\0`, `Connection: Transfer-Encoding\r\n${chunked}`],
];
/** Lines before a chunk; `<SIZE>` stands for its size in hexadecimal digits. */
const sizeLines: readonly string[] = [
  ...[';a="\\""', ' ;a', '\t', ';a\n', ';\0', '0'].map((tail) => `<SIZE>${tail}\r\n`),
  ...['000', '0x', '+', '-', `1${'0'.repeat(16)}`, '\r\n'].map((start) => `${start}<SIZE>\r\n`),
  ...['<SIZE>\n', '<SIZE>\r', '<SIZE>', '<SIZE>;\nx\r\n'],
];
const chunkEnds: readonly string[] = ['\n', '\r', '', '\r\n\r\n', ' \r\n', '\0\r\n'];
const lastChunks: readonly string[] = [
  ...['0\r\nContent-Length: 5\r\nHost: b\r\n\r\n', '0\r\n X: a\r\n\r\n', '0\r\nX\r\n\r\n', '0\r\nX: a\n\r\n'],
  ...['000\r\n\r\n', '0;a\r\n\r\n', '0 \r\n\r\n', '0\r\n\r\n0\r\n\r\n', '', '0\r\n', '0\n\n', '0\r\n\n'],
];
const route = '/public/v1/mirror/campaign/<OWN>/mirror';
const starts: Readonly<Record<string, string>> = {
  'HTTP/1.0 that keeps alive': `POST ${route} HTTP/1.0\r\nConnection: keep-alive`,
  'an absolute target with another host': `POST http://other.example${route} HTTP/1.1`,
  'a second request line': `POST ${route} HTTP/1.1\r\nGET ${route}?hidden HTTP/1.1`,
  'a break in the target': `POST ${route}?\x20HTTP/1.1\r\nX: y HTTP/1.1`,
  'HTTP/0.9': `GET ${route}\r\n`,
};

const hidden = `GET ${route}?hidden HTTP/1.1\r\nHost: mirror.example.com\r\nX-Hidden: `;
const body = `${hidden}\r\n\r\n`;
const inChunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

function post(lines: string, sent: string, start = `POST ${route} HTTP/1.1`): string {
  const head = [start, 'Host: mirror.example.com', 'Content-Type: application/json', lines];
  return [...head.filter(Boolean), '', sent].join('\r\n');
}
const chunks = (sent: string) => post(chunked, `${sent}${body}`);

/** Requests that a careless reader takes for two. `<OWN>` stands for the number of a campaign. */
const smuggled: readonly (readonly [way: string, how: string, message: string])[] = [
  ...codings.map((how) => {
    const message = post(`${how}\r\nContent-Length: ${5 + hidden.length}`, `0\r\n\r\n${hidden}`);
    return ['CL.TE', how, message] as const;
  }),
  ...codings.map((how) => {
    const message = post(`Content-Length: ${inChunks.indexOf('\r\n') + 2}\r\n${how}`, inChunks);
    return ['TE.CL', how, message] as const;
  }),
  ...lengths.map(
    (how) => ['by length', how, post(how.replaceAll('<LENGTH>', `${body.length}`), body)] as const,
  ),
  ...sizeLines.map(
    (how) => ['by a size', how, chunks(`${how.replace('<SIZE>', '1')}{\r\n0\r\n\r\n`)] as const,
  ),
  ...chunkEnds.map((how) => ['by the end of a chunk', how, chunks(`1\r\n{${how}0\r\n\r\n`)] as const),
  ...lastChunks.map((how) => ['by the last chunk', how, chunks(`1\r\n{\r\n${how}`)] as const),
  ...Object.entries(starts).map(
    ([how, start]) => ['by the start', how, post(`Content-Length: ${body.length}`, body, start)] as const,
  ),
];

/** These are two requests by RFC 9112. */
const isTwo = new Set([
  ...['', 'Content-Length: 0', 'Content_Length: <LENGTH>', '<SIZE>;a="\\""\r\n', '000<SIZE>\r\n'],
  ...['000\r\n\r\n', '0;a\r\n\r\n', '0\r\n\r\n0\r\n\r\n'],
]);

describe('contract: connections: the service reads no request as two', () => {
  const service = withHttpService();

  for (const [way, how, message] of smuggled)
    it(`${way}, ${JSON.stringify(how)}: it refuses the request, and serves the next caller`, async () => {
      const bytes = message.replaceAll('<OWN>', String(service().campaigns.own));
      const connection = await RawConnection.open(service().port, bytes);
      connection.socket.end();
      const statuses = (await connection.closed()).match(/(?<=^HTTP\/1\.1 )[2-5]\d\d/gm) ?? [];
      // A request without a key is 401 if its body ends where RFC 9112 says.
      expect(statuses[0]).to.be.oneOf(['400', '401']);
      if (!isTwo.has(how)) expect(statuses).to.have.length(1);
      expect((await ask(service())).status).to.equal(200);
    });
});
