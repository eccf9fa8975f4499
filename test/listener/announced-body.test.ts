import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { chunkedBytes, goodBody, newAddress, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

/** As it is with a length, and as it is in chunks. */
const framings = {
  'Content-Length': requestBytes,
  'Transfer-Encoding': (...[service, asking]: Parameters<typeof requestBytes>) =>
    chunkedBytes(service, [goodBody], asking),
} as const;

describe('contract: order of checks — a body, however it comes', () => {
  const service = withHttpService();
  const target = (body: string) => JSON.parse(body).mirror?.target_url;

  for (const [framing, bytesOf] of Object.entries(framings)) {
    it(`in two parts, cut anywhere, and the next request behind it: ${framing}`, async () => {
      const connection = await RawConnection.open(service().port);
      const whole = bytesOf(service());
      const twice = Buffer.concat([whole, whole]);
      for (let at = whole.length - goodBody.length - 10; at <= whole.length + 10; at += 3) {
        await connection.send(twice.subarray(0, at));
        // The part before has been read by the time that another connection is answered.
        const another = await RawConnection.open(service().port);
        await another.send(whole);
        expect((await another.response()).status).to.equal(200);
        await connection.send(twice.subarray(at));
        for (const { status, body } of [await connection.response(), await connection.response()])
          expect([status, target(body)]).to.deep.equal([200, newAddress]);
      }
    });

    for (const ending of ['ends', 'is reset'] as const) {
      it(`a connection that ${ending} in its middle sets nothing: ${framing}`, async () => {
        const { campaigns, world, log, port } = service();
        const before = await world.others.history(campaigns.own);
        const requestId = `${ending.replace(' ', '-')}-${framing}`;
        const headers = { 'X-Request-Id': requestId, Expect: '100-continue' };
        const whole = bytesOf(service(), { headers });
        const body = whole.indexOf('\r\n\r\n') + 4;
        const connection = await RawConnection.open(port);
        await connection.send(whole.subarray(0, body));
        expect((await connection.response()).status).to.equal(100);
        await connection.send(whole.subarray(body, body + 20));
        if (ending === 'ends') {
          connection.socket.end();
          expect((await connection.response()).status).to.equal(400);
          await connection.closed();
        } else await connection.reset();
        const gone = ending === 'ends' ? undefined : true;
        const { status, callerGone } = await log.line(requestId);
        expect([status, callerGone]).to.deep.equal([400, gone]);
        expect(await world.others.history(campaigns.own)).to.deep.equal(before);
      });
    }
  }
});
