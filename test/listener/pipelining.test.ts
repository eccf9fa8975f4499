import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { type Asking, ask, bodyWith, heldUp, requestBytes, servesOn } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { eventually } from '../support/promises.ts';

const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

describe('contract: connections: requests that do not wait for the answer before', () => {
  const service = withHttpService();

  const setting = (name: string, headers: Asking['headers'] = {}) =>
    requestBytes(service(), {
      headers: { 'X-Request-Id': name, ...headers },
      body: bodyWith(`https://example.com/${name}`),
    }).toString();
  async function history() {
    const rows = await service().world.others.history(service().campaigns.own);
    return rows.map(({ requestId }) => requestId);
  }
  /** The last answer on a connection, which says so. */
  async function expectLast(connection: RawConnection | undefined, expected: number) {
    const { status, headers } = (await connection?.response()) ?? {};
    expect([status, headers?.connection]).to.deep.equal([expected, 'close']);
    expect(await connection?.closed()).to.equal('');
  }

  const behind: Record<string, () => string> = {
    'a request': () => setting('never'),
    'several, as many as a connection may ask in vain': () => setting('never').repeat(32),
    'a request that waits for its 100': () => setting('never', { Expect: '100-continue' }),
    'the beginning of one': () => setting('never').slice(0, -5),
    garbage: () => 'garbage\r\n\r\n',
    CONNECT: () => tunnel,
  };
  for (const [what, bytes] of Object.entries(behind))
    it(`${what}, in the same segment: the answer before it is the last one, and nothing behind it is carried out`, async () => {
      await expectLast(await RawConnection.open(service().port, setting('only') + bytes()), 200);
      // What was begun before it would be there now.
      await ask(service(), { headers: { 'X-Request-Id': 'later' } });
      expect((await history()).slice(-2)).to.deep.equal(['only', 'later']);
      expect(await history()).not.to.include('never');
    });

  it('one after the other, each after its answer, all are carried out; listeners do not pile up', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const connection = await RawConnection.open(service().port);
    for (let times = 0; times < 40; times++) await servesOn(service(), connection);
    // Warnings are told in a later turn.
    await new Promise(setImmediate);
    process.off('warning', warned);
    expect(warnings).to.deep.equal([]);
  });

  it('nothing is carried out behind an answer that ends the connection', async () => {
    // Behind so many headers Node's parser lets what was answered before come to its end.
    const never = setting('never', { X: Array(100).fill('') });
    const last = requestBytes(service(), { headers: { Host: 'a/b' } });
    await expectLast(await RawConnection.open(service().port, last + never), 400);
    await ask(service(), { headers: { 'X-Request-Id': 'later' } });
    expect((await history()).at(-1)).to.equal('later');
    expect(await history()).not.to.include('never');
  });

  it('a request, garbage or CONNECT while another is held up: its answer is the last, and what follows is not read', async () => {
    const starts = [setting('never'), 'garbage\r\n\r\n', tunnel];
    // More than the buffers between us hold: the socket says that it is full, and stays so.
    const much = Buffer.alloc(30_000_000);
    const { connections, letGo } = await heldUp(service(), ...starts.map(() => setting('slow')));
    for (const [at, start] of starts.entries()) {
      await connections[at]?.send(start);
      connections[at]?.socket.write(much);
    }
    // In the time that these take, a service that reads on would have read it all; the lock is waited for longer.
    const other = await RawConnection.open(service().port);
    for (let times = 0; times < 50; times++) {
      await other.send(requestBytes(service(), { campaign: 424242 }));
      await other.response();
    }
    for (const { socket } of connections) expect(socket.writableLength).to.be.greaterThan(0);
    await letGo();
    for (const connection of connections) await expectLast(connection, 200);
    expect((await history()).slice(-3)).to.deep.equal(['slow', 'slow', 'slow']);
    expect(await history()).not.to.include('never');
  });

  it('one that asks on and on in one segment is cut', async () => {
    const { connections, letGo } = await heldUp(service(), setting('first') + setting('never').repeat(33));
    expect(await connections[0]?.closed(), 'before an answer').to.equal('');
    await letGo();
    expect(await history()).not.to.include('never');
  });

  it('nothing is left of callers that leave at any point, and what they asked behind is not carried out', async () => {
    const whole = setting('part');
    for (let at = 1; at < whole.length; at += 2) await RawConnection.open(service().port, whole.slice(0, at));
    const behind = ['', setting('never'), tunnel, setting('never') + tunnel];
    const asked = behind.map((text, at) => setting(`under-way-${at}`) + text);
    const { connections, letGo } = await heldUp(service(), ...asked);
    for (const connection of connections) await connection.reset();
    expect((await ask(service(), { campaign: 424242 })).status).to.equal(404);
    await letGo();
    for (const at of behind.keys()) await service().log.line(`under-way-${at}`);
    RawConnection.resetAll(service().port);
    await eventually('no connection', () => expect(service().server.connections).to.equal(0));
    expect(await history()).not.to.include('never');
  });
});
