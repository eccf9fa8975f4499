import { expect } from 'chai';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { RawConnection } from '../support/http/connection.ts';
import { type Asking, ask, bodyWith, requestBytes, servesOn } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const never = new Promise<void>(() => {});
const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

describe('contract: connections: requests that do not wait for the answer before', () => {
  const service = withHttpService();
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  before(() => process.on('warning', warned));
  after(() => process.off('warning', warned));

  const setting = (name: string, headers: Asking['headers'] = {}) =>
    requestBytes(service(), {
      headers: { 'X-Request-Id': name, ...headers },
      body: bodyWith(`https://example.com/${name}`),
    });
  async function history() {
    const rows = await service().world.others.history(service().campaigns.own);
    return rows.map(({ requestId }) => requestId);
  }

  /** Connections with these requests, each of whose first waits for the mirror that the holder lets go. */
  async function heldUp(...all: readonly Buffer[]) {
    const { database, campaigns, port } = service();
    const holder = await rival(database);
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaigns.own);
    const connections = await Promise.all(all.map(() => RawConnection.open(port)));
    for (const [at, bytes] of all.entries()) await connections[at]?.send(bytes);
    await untilWaiting(database, never);
    return { holder, connections, connection: connections[0] as RawConnection };
  }

  it('contract: history: several in one segment are carried out in their order', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    const connection = await RawConnection.open(service().port);
    void connection.send(Buffer.concat(names.map((name) => setting(name))));
    for (const name of names) {
      const { status, headers, body } = await connection.response();
      expect([status, headers['x-request-id']]).to.deep.equal([200, name]);
      expect(JSON.parse(body).mirror.target_url).to.equal(`https://example.com/${name}`);
    }
    expect((await history()).slice(-names.length)).to.deep.equal(names);
    const mirror = await service().world.others.mirror(service().campaigns.own);
    expect(mirror?.targetUrl).to.equal('https://example.com/j');
  });

  for (const [name, ending] of Object.entries({
    'an answer that ends the connection': { Host: 'a/b' },
    'a request that asked to close': { Connection: 'close' },
  }))
    it(`nothing is carried out behind ${name}`, async () => {
      const connection = await RawConnection.open(service().port);
      // Behind so many headers Node's parser lets what was answered before come to its end.
      const headers = { X: Array.from({ length: 100 }, () => '') };
      const last = requestBytes(service(), { headers: ending });
      void connection.send(Buffer.concat([last, setting('behind-the-last', headers)]));
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
      const { holder, connection } = await heldUp(Buffer.concat([setting('slow'), setting('behind')]));
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
      await holder.commit();
      for (const status of [200, 200]) expect((await connection.response()).status).to.equal(status);
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([expected, 'close']);
      expect(await connection.closed()).to.equal('');
      expect((await history()).slice(-2)).to.deep.equal(['slow', 'behind']);
    });

  it('400 in the body of one behind another, which is not carried out', async () => {
    const head = requestBytes(service(), { headers: { 'Transfer-Encoding': 'chunked' }, body: undefined });
    const half = Buffer.from('5\r\n{"mir\r\n');
    const { holder, connection } = await heldUp(Buffer.concat([setting('whole'), head, half]));
    await connection.send('garbage\r\n');
    await holder.commit();
    for (const status of [200, 400]) expect((await connection.response()).status).to.equal(status);
    expect(await connection.closed()).to.equal('');
    expect((await history()).at(-1)).to.equal('whole');
  });

  it('one that asks on and on behind a request is cut', async () => {
    const { holder, connection } = await heldUp(Buffer.concat(Array(34).fill(requestBytes(service()))));
    await connection.closed();
    await holder.commit();
  });

  it('nothing is left of callers that leave at any point, and what they asked behind is not carried out', async () => {
    const whole = requestBytes(service());
    for (let at = 0; at < whole.length; at += 2) {
      const connection = await RawConnection.open(service().port);
      await connection.send(whole.subarray(0, at));
    }
    const behind = ['', String(setting('never')), tunnel, String(setting('never')) + tunnel];
    const { holder, connections } = await heldUp(
      ...behind.map((text, at) => Buffer.concat([setting(`under-way-${at}`), Buffer.from(text)])),
    );
    for (const connection of connections) await connection.reset();
    expect((await ask(service(), { campaign: 424242 })).status).to.equal(404);
    await holder.commit();
    for (const at of behind.keys())
      expect(await service().log.line(`under-way-${at}`)).to.include({ callerGone: true });
    expect(await history()).not.to.include('never');
  });

  it('listeners do not pile up, one after the other or at once', async () => {
    const connection = await RawConnection.open(service().port);
    for (let times = 0; times < 20; times++) await servesOn(service(), connection);
    void connection.send(Buffer.concat(Array(20).fill(requestBytes(service()))));
    for (let times = 0; times < 20; times++) expect((await connection.response()).status).to.equal(200);
    await connection.send('garbage\r\n\r\n');
    expect((await connection.response()).status).to.equal(400);
    // Warnings are told in a later turn.
    await new Promise(setImmediate);
    expect(warnings).to.deep.equal([]);
  });
});
