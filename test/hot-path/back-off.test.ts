import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { backingOff } from '../../packages/adapters-persistence/src/connection/back-off.ts';
import { rejection } from '../support/faults.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('connections that fail', () => {
  const database = databaseOf('suite');
  let pool: pg.Pool;
  let away: Server;
  let drawn: number;
  beforeEach(async () => {
    drawn = 0;
    away = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(away, 'listening');
  });
  afterEach(async () => {
    away.close();
    await pool.end();
  });

  function poolOf(waitTimeout: number): pg.Pool {
    const { port } = away.address() as AddressInfo;
    const random = () => {
      drawn += 1;
      return 1;
    };
    const Client = backingOff(waitTimeout, random);
    const options = { ...database.address('service'), host: '127.0.0.1', port };
    pool = new pg.Pool({ ...options, Client, connectionTimeoutMillis: waitTimeout });
    pool.on('error', () => {});
    return pool;
  }

  it('are tried again later and later; one that succeeds is the end of it', async () => {
    const pool = poolOf(10_000);
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
  });

  it('are tried within the time that a caller waits', async () => {
    const pool = poolOf(200);
    for (let tries = 0; tries < 8; tries++)
      expect(await rejection(pool.connect()))
        .to.have.property('message')
        .that.does.not.match(/timeout/);
  });
});
