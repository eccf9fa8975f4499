import { expect } from 'chai';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { RawConnection } from '../support/http/connection.ts';
import { type Asking, ask, requestBytes } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';

const setting = (service: HttpService, name: string, asking: Asking = {}) =>
  requestBytes(service, {
    ...asking,
    headers: { 'X-Request-Id': name, ...asking.headers },
    body: JSON.stringify({ mirror_endpoint: `https://example.com/${name}` }),
  });

/** A connection with these requests, of which the first waits for the mirror that the holder lets go. */
async function heldUp(service: HttpService, ...bytes: readonly Buffer[]) {
  const { database, campaigns, port } = service;
  const holder = await rival(database);
  await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaigns.own);
  const connection = await RawConnection.open(port);
  await connection.send(Buffer.concat(bytes));
  await untilWaiting(database, new Promise(() => {}));
  return { holder, connection };
}

describe('contract: answers — requests that do not wait for the answer before', () => {
  const service = withHttpService();

  async function history() {
    const rows = await service().world.others.history(service().campaigns.own);
    return rows.map(({ requestId }) => requestId);
  }

  it('contract: history — several in one segment are carried out in their order', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    const connection = await RawConnection.open(service().port);
    void connection.send(Buffer.concat(names.map((name) => setting(service(), name))));
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
    it(`contract: answers — nothing is carried out behind ${name}`, async () => {
      const connection = await RawConnection.open(service().port);
      // Behind so many headers Node's parser lets what was answered before come to its end.
      const headers = { X: Array.from({ length: 100 }, () => '') };
      const last = requestBytes(service(), { headers: ending });
      void connection.send(Buffer.concat([last, setting(service(), 'behind-the-last', { headers })]));
      expect((await connection.response()).headers.connection).to.equal('close');
      expect(await connection.closed()).to.equal('');
      // What was begun before it would be there now.
      expect((await ask(service(), { headers: { 'X-Request-Id': 'later' } })).status).to.equal(200);
      expect((await history()).at(-1)).to.equal('later');
      expect(await history()).not.to.include('behind-the-last');
    });

  for (const [start, expected] of [
    ['garbage', 400],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a', 405],
  ] as const)
    it(`contract: answers — ${expected} after what is held up, and what follows is not read for ever`, async () => {
      const asked = [setting(service(), 'slow'), setting(service(), 'behind')];
      const { holder, connection } = await heldUp(service(), ...asked);
      await connection.send(`${start}\r\n\r\n`);
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

  it('contract: answers — parser refuses: in the body of one behind another, which is not carried out', async () => {
    const headers = { 'Transfer-Encoding': 'chunked', 'X-Request-Id': 'half' };
    const half = requestBytes(service(), {
      headers: { ...headers, 'Content-Length': undefined },
      body: '5\r\n{"mir\r\n',
    });
    const { holder, connection } = await heldUp(service(), setting(service(), 'whole'), half);
    await connection.send('garbage\r\n');
    await holder.commit();
    expect((await connection.response()).status).to.equal(200);
    const { status } = await connection.response();
    expect(status).to.equal(400);
    expect(await connection.closed()).to.equal('');
    expect((await history()).at(-1)).to.equal('whole');
  });

  it('contract: connections — one that asks on and on behind a request is cut', async () => {
    const asked = Array.from({ length: 34 }, () => requestBytes(service()));
    const { holder, connection } = await heldUp(service(), ...asked);
    await connection.closed();
    await holder.commit();
  });

  it('contract: answers — a caller that leaves: what it asked behind the one under way is not carried out', async () => {
    const asked = [setting(service(), 'under-way'), setting(service(), 'never')];
    const { holder, connection } = await heldUp(service(), ...asked);
    await connection.reset();
    await RawConnection.open(service().port).then((other) => other.reset());
    await holder.commit();
    expect(await service().log.line('under-way')).to.include({ callerGone: true });
    expect((await history()).at(-1)).to.equal('under-way');
  });
});
