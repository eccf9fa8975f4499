import { expect } from 'chai';
import { RawConnection, type RawResponse, readResponse } from '../support/http/connection.ts';
import { assertDocumented } from '../support/http/openapi-answers.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { smuggled } from './smuggled.ts';

/** The first answers, in the order of the messages, by what they try. 401: the body was framed as RFC 9112 has it. */
const first: Readonly<Record<string, string>> = {
  'CL.TE': '400 400 400 400 400 400 400 400 400 400 400 400 400',
  'TE.CL': '400 400 400 400 400 400 400 400 400 400 400 400 400',
  'by length': '401 401 400 400 401 400 400 400 401 401 401 400 401 400 400 400 400',
  'by a size': '401 400 400 400 400 401 401 400 400 400 400 400 400 400 400 400',
  'by the end of a chunk': '401 401 401 401 401 401',
  'by the last chunk': '401 401 401 401 401 401 401 401 401 401 401 401',
  'by the start': '401 401 400 401 400',
};
/** Those that are two requests for everybody. */
const isTwo = new Set([
  ...['', 'Content-Length: 0', 'Content_Length: <LENGTH>', '<SIZE>;a="\\""\r\n', '000<SIZE>\r\n'],
  ...['000\r\n\r\n', '0;a\r\n\r\n', '0\r\n\r\n0\r\n\r\n'],
]);

function answersIn(text: string): RawResponse[] {
  const answers: RawResponse[] = [];
  for (let rest = Buffer.from(text, 'latin1'); rest.length > 0; ) {
    const { response, length } = readResponse(rest, false) ?? expect.fail(`an answer breaks off: ${rest}`);
    assertDocumented(response);
    if (response.status >= 200) answers.push(response);
    rest = rest.subarray(length);
  }
  return answers;
}

describe('contract: connections: no request is taken for two', () => {
  const service = withHttpService();

  for (const [way, statuses] of Object.entries(first))
    it(way, async () => {
      const messages = smuggled.filter((one) => one.way === way);
      const found: string[] = [];
      for (const { how, message } of messages) {
        const bytes = message.replaceAll('<OWN>', String(service().campaigns.own));
        const connection = await RawConnection.open(service().port, bytes);
        connection.socket.end();
        const answers = answersIn(await connection.closed());
        found.push(String(answers[0]?.status));
        if (!isTwo.has(how)) expect(answers, JSON.stringify(how)).to.have.length(1);
        expect((await ask(service())).status, 'of the next caller').to.equal(200);
      }
      expect(found.join(' ')).to.equal(statuses);
    });
});
