import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { smuggled } from './smuggled.ts';

/** These are two requests by RFC 9112. */
const isTwo = new Set([
  ...['', 'Content-Length: 0', 'Content_Length: <LENGTH>', '<SIZE>;a="\\""\r\n', '000<SIZE>\r\n'],
  ...['000\r\n\r\n', '0;a\r\n\r\n', '0\r\n\r\n0\r\n\r\n'],
]);

describe('contract: connections: the service reads no request as two', () => {
  const service = withHttpService();

  for (const { way, how, message } of smuggled)
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
