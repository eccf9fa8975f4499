import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { type Asking, ask, bodyWith, heldUp, requestBytes, servesOn } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

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
  async function expectStatuses(connection: RawConnection | undefined, ...statuses: number[]) {
    for (const status of statuses) expect((await connection?.response())?.status).to.equal(status);
  }

  it('contract: history: several in one segment are carried out in their order; listeners do not pile up', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const names = Array.from({ length: 20 }, (_, at) => `piped-${at}`);
    const connection = await RawConnection.open(service().port, names.map((name) => setting(name)).join(''));
    for (const name of names) {
      const { status, body } = await connection.response();
      const url = `https://example.com/${name}`;
      expect([status, JSON.parse(body).mirror.target_url]).to.deep.equal([200, url]);
    }
    expect((await history()).slice(-names.length)).to.deep.equal(names);
    for (let times = 0; times < 20; times++) await servesOn(service(), connection);
    // Warnings are told in a later turn.
    await new Promise(setImmediate);
    process.off('warning', warned);
    expect(warnings).to.deep.equal([]);
  });

  it('nothing is carried out behind an answer that ends the connection', async () => {
    // Behind so many headers Node's parser lets what was answered before come to its end.
    const behind = setting('behind-the-last', { X: Array(100).fill('') });
    const last = requestBytes(service(), { headers: { Host: 'a/b' } });
    const connection = await RawConnection.open(service().port, last + behind);
    expect((await connection.response()).headers.connection).to.equal('close');
    expect(await connection.closed()).to.equal('');
    // What was begun before it would be there now.
    await ask(service(), { headers: { 'X-Request-Id': 'later' } });
    expect((await history()).at(-1)).to.equal('later');
    expect(await history()).not.to.include('behind-the-last');
  });

  for (const [start, expected] of [
    ['garbage\r\n\r\n', 400],
    [tunnel, 405],
  ] as const)
    it(`${expected} after what is held up, and what follows is not read for ever`, async () => {
      const { connections, letGo } = await heldUp(service(), setting('slow') + setting('behind'));
      const [connection] = connections as [RawConnection];
      await connection.send(start);
      // More than the buffers between us hold: the socket says that it is full, and stays so.
      connection.socket.write(Buffer.alloc(30_000_000));
      // In the time that these take, a service that reads on would have read it all.
      const other = await RawConnection.open(service().port);
      for (let times = 0; times < 200; times++) {
        await other.send(requestBytes(service(), { campaign: 424242 }));
        await other.response();
      }
      expect(connection.socket.writableLength).to.be.greaterThan(0);
      await letGo();
      await expectStatuses(connection, 200, 200);
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([expected, 'close']);
      expect(await connection.closed()).to.equal('');
      expect((await history()).slice(-2)).to.deep.equal(['slow', 'behind']);
    });

  it('400 in the body of one behind another, which is not carried out; one that asks on and on is cut', async () => {
    const head = requestBytes(service(), { headers: { 'Transfer-Encoding': 'chunked' }, body: undefined });
    const half = `${setting('whole')}${head}5\r\n{"mir\r\n`;
    const { connections, letGo } = await heldUp(
      service(),
      half,
      setting('first') + setting('more').repeat(33),
    );
    await connections[0]?.send('garbage\r\n');
    await connections[1]?.closed();
    await letGo();
    await expectStatuses(connections[0], 200, 400);
    expect(await connections[0]?.closed()).to.equal('');
    expect(await history()).not.to.include('more');
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
    for (const at of behind.keys())
      expect(await service().log.line(`under-way-${at}`)).to.include({ callerGone: true });
    expect(await history()).not.to.include('never');
  });
});
