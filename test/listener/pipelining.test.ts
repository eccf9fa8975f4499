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

/** Holds the campaign's mirror; the answer lets go of it. */
async function held({ database, campaigns }: HttpService) {
  const holder = await rival(database);
  await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', campaigns.own);
  return holder;
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

  it('contract: answers — one that is refused on the way does not keep the next from its turn', async () => {
    const { campaigns, port } = service();
    const connection = await RawConnection.open(port);
    const asked = [
      setting(service(), 'first'),
      setting(service(), 'foreign', { campaign: campaigns.foreign }),
      setting(service(), 'missing', { campaign: 424242 }),
      requestBytes(service(), { body: '{' }),
      requestBytes(service(), { target: '/nowhere', body: undefined }),
      setting(service(), 'last'),
    ];
    void connection.send(Buffer.concat(asked));
    for (const expected of [200, 403, 404, 400, 404, 200]) {
      expect((await connection.response()).status).to.equal(expected);
    }
  });

  it('contract: answers — nothing is carried out behind an answer that ends the connection', async () => {
    const connection = await RawConnection.open(service().port);
    // Behind so many headers Node's parser lets what was answered before come to its end.
    const manyHeaders = { X: Array.from({ length: 100 }, () => '') };
    const last = requestBytes(service(), { headers: { Host: 'a/b' } });
    void connection.send(
      Buffer.concat([last, setting(service(), 'behind-the-last', { headers: manyHeaders })]),
    );
    expect((await connection.response()).headers.connection).to.equal('close');
    expect(await connection.closed()).to.equal('');
    // What was begun before it would be there now.
    expect((await ask(service(), { headers: { 'X-Request-Id': 'later' } })).status).to.equal(200);
    expect(await history())
      .to.include('later')
      .and.not.to.include('behind-the-last');
  });

  it('contract: answers — parser refuses: also where the ones before are held up', async () => {
    const holder = await held(service());
    const connection = await RawConnection.open(service().port);
    await connection.send(Buffer.concat([setting(service(), 'slow'), setting(service(), 'behind')]));
    await untilWaiting(service().database, new Promise(() => {}));
    await connection.send('garbage\r\n\r\n');
    await connection.send('and more of it');
    await holder.commit();
    for (const expected of [200, 200]) expect((await connection.response()).status).to.equal(expected);
    const { status, body, headers } = await connection.response();
    expect([status, body, headers.connection]).to.deep.equal([400, '{"message":"Bad Request"}', 'close']);
    expect(await connection.closed()).to.equal('');
    expect((await history()).slice(-2)).to.deep.equal(['slow', 'behind']);
  });

  it('contract: answers — parser refuses: a caller that writes on and on meanwhile is not read for ever', async () => {
    const holder = await held(service());
    const connection = await RawConnection.open(service().port);
    await connection.send(Buffer.concat([setting(service(), 'patient'), Buffer.from('garbage\r\n\r\n')]));
    await untilWaiting(service().database, new Promise(() => {}));
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
    for (const expected of [200, 400]) expect((await connection.response()).status).to.equal(expected);
    expect(await connection.closed()).to.equal('');
  });

  it('contract: answers — parser refuses: in the body of one behind another, which is not carried out', async () => {
    const holder = await held(service());
    const connection = await RawConnection.open(service().port);
    const headers = { 'Transfer-Encoding': 'chunked', 'X-Request-Id': 'half' };
    const half = requestBytes(service(), { headers, body: undefined });
    await connection.send(Buffer.concat([setting(service(), 'whole'), half, Buffer.from('5\r\n{"mir\r\n')]));
    await untilWaiting(service().database, new Promise(() => {}));
    await connection.send('garbage\r\n');
    await holder.commit();
    expect((await connection.response()).status).to.equal(200);
    const { status } = await connection.response();
    expect(status).to.equal(400);
    expect(await connection.closed()).to.equal('');
    expect((await history()).at(-1)).to.equal('whole');
  });

  it('contract: answers — CONNECT is 405 after what was asked before has its answer', async () => {
    const holder = await held(service());
    const connection = await RawConnection.open(service().port);
    await connection.send(
      Buffer.concat([setting(service(), 'pending'), Buffer.from('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')]),
    );
    await untilWaiting(service().database, new Promise(() => {}));
    await holder.commit();
    for (const expected of [200, 405]) expect((await connection.response()).status).to.equal(expected);
    expect(await connection.closed()).to.equal('');
  });

  it('contract: answers — a caller that resets while CONNECT waits for the one before does no harm', async () => {
    const holder = await held(service());
    const connection = await RawConnection.open(service().port);
    await connection.send(
      Buffer.concat([setting(service(), 'left'), Buffer.from('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')]),
    );
    await untilWaiting(service().database, new Promise(() => {}));
    await connection.reset();
    await holder.commit();
    expect(await service().log.line('left')).to.include({ status: 200 });
    expect((await ask(service())).status).to.equal(200);
  });

  it('contract: answers — nothing is carried out behind a request that asked to close', async () => {
    const connection = await RawConnection.open(service().port);
    const headers = { Connection: 'close' };
    await connection.send(
      Buffer.concat([requestBytes(service(), { headers }), setting(service(), 'unheard')]),
    );
    const { status, headers: answered } = await connection.response();
    expect([status, answered.connection]).to.deep.equal([200, 'close']);
    expect(await connection.closed()).to.equal('');
    expect(await history()).not.to.include('unheard');
  });

  it('contract: connections — one that asks on and on behind a request is cut', async () => {
    const holder = await held(service());
    const connection = await RawConnection.open(service().port);
    await connection.send(Buffer.concat(Array.from({ length: 34 }, () => requestBytes(service()))));
    await connection.closed();
    await holder.commit();
  });

  it('contract: answers — a caller that leaves: what it asked behind the one under way is not carried out', async () => {
    const holder = await held(service());
    const connection = await RawConnection.open(service().port);
    await connection.send(Buffer.concat([setting(service(), 'under-way'), setting(service(), 'never')]));
    await untilWaiting(service().database, new Promise(() => {}));
    await connection.reset();
    await RawConnection.open(service().port).then((other) => other.reset());
    await holder.commit();
    expect(await service().log.line('under-way')).to.include({ callerGone: true });
    expect((await history()).at(-1)).to.equal('under-way');
  });
});
