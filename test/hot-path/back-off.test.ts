import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { backingOff } from '../../packages/adapters-persistence/src/connection/pool.ts';
import { databaseOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';

describe('connections that fail', () => {
  const database = databaseOf('suite');
  const away = createServer((socket) => socket.destroy());
  after(() => away.close());

  it('are tried again later and later; one that succeeds is the end of it', async () => {
    await once(away.listen(0, '127.0.0.1'), 'listening');
    let drawn = 0;
    const Client = backingOff(10_000, () => {
      drawn += 1;
      return 1;
    });
    const { port } = away.address() as AddressInfo;
    const pool = new pg.Pool({ ...database.address('service'), host: '127.0.0.1', port, Client });
    pool.on('error', () => {});
    const begin = performance.now();
    for (let tries = 0; tries < 6; tries++) await rejection(pool.connect());
    // Without a delay, then 20, 40, 80, 160 and 320 ms; a timer may fire a fraction early.
    expect(performance.now() - begin).to.be.at.least(610);
    expect(drawn).to.equal(5);
    Object.assign(pool.options, { port: database.address('service').port });
    for (let number = 0; number < 3; number++) {
      const client = await pool.connect();
      client.on('error', () => {});
      client.release(true);
    }
    expect(drawn).to.equal(6);
    await pool.end();
  });
});
