import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { ask, bodyWith, heldUp, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { eventually } from '../support/promises.ts';

const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

describe('contract: connections: requests of one connection are answered in their order', () => {
  const service = withHttpService();

  const setting = (name: string) => {
    const headers = { 'X-Request-Id': name };
    return requestBytes(service(), { headers, body: bodyWith(`https://example.com/${name}`) }).toString();
  };
  const missing = () => requestBytes(service(), { campaign: 424242 }).toString();
  async function history() {
    const rows = await service().world.others.history(service().campaigns.own);
    return rows.map(({ requestId }) => requestId);
  }
  async function expectStatuses(connection: RawConnection | undefined, ...expected: readonly number[]) {
    const statuses: (number | undefined)[] = [];
    for (const _ of expected) statuses.push((await connection?.response())?.status);
    expect(statuses).to.deep.equal(expected);
  }

  it('a slow request comes first, and the later ones are executed', async () => {
    const { connections, letGo } = await heldUp(service(), setting('slow') + missing() + setting('later'));
    // On another connection, an unknown campaign is answered at once.
    expect((await ask(service(), { campaign: 424242 })).status).to.equal(404);
    await letGo();
    await expectStatuses(connections[0], 200, 404, 200);
    expect(await history()).to.include.members(['slow', 'later']);
  });

  const refused: Record<string, readonly [bytes: () => string, status: number, ends?: boolean]> = {
    garbage: [() => 'garbage\r\n\r\n', 400],
    CONNECT: [() => tunnel, 405],
    'an incomplete body': [() => setting('never').slice(0, -5), 400, true],
  };
  for (const [what, [bytes, status, ends]] of Object.entries(refused))
    it(`${what} is refused after the answers to the requests before it`, async () => {
      const { connections, letGo } = await heldUp(service(), setting('first') + setting('second') + bytes());
      if (ends) connections[0]?.socket.end();
      await letGo();
      await expectStatuses(connections[0], 200, 200);
      const refusal = await connections[0]?.response();
      expect([refusal?.status, refusal?.headers.connection]).to.deep.equal([status, 'close']);
      expect(await connections[0]?.closed()).to.equal('');
      expect(await history()).not.to.include('never');
    });

  it('callers that leave at any point leave no slot and no connection behind', async () => {
    const whole = requestBytes(service()).toString();
    for (let at = 1; at < whole.length; at += 2) await RawConnection.open(service().port, whole.slice(0, at));
    const behind = ['', whole, tunnel, whole + tunnel];
    const { connections, letGo } = await heldUp(service(), ...behind.map((text) => whole + text));
    for (const connection of connections) await connection.reset();
    expect((await ask(service(), { campaign: 424242 })).status).to.equal(404);
    await letGo();
    RawConnection.resetAll(service().port);
    await eventually('no connection', () => expect(service().server.connections).to.equal(0));
    await eventually('no slot', () => expect(service().slots.used).to.equal(0));
  });
});
