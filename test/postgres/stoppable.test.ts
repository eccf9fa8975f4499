import { openPool } from '@campaign-mirror/adapters-persistence/sql';
import { expect } from 'chai';
import { stoppable } from '../../packages/adapters-persistence/src/connection/stoppable.ts';
import { eventually } from '../support/eventually.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('what a signal stops at the server', () => {
  const database = databaseOf('suite');

  const asked = new Error('asked to stop');
  const opened = async () => {
    const { pool, close } = openPool(database.address('operator'));
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return { pool, client, close, pid: rows[0].pid };
  };
  const sessions = async (pid: number) =>
    (await database.admin.query('select from pg_stat_activity where pid = $1', [pid])).rowCount;

  it('between two statements too: the connection ends at once, and its transaction with it', async () => {
    const { pool, client, close, pid } = await opened();
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    const outcome = stoppable(stop.signal, pool, client, async () => {
      await client.query('begin; insert into campaign_mirror.campaigns (owner_id) values (1)');
      stop.abort(asked);
      await ended.promise;
      return client.query('commit');
    });
    await eventually('the signal', () => expect(stop.signal.aborted).to.equal(true));
    await eventually('the session to end', async () => expect(await sessions(pid)).to.equal(0)).finally(
      ended.resolve,
    );
    expect(await outcome.catch((error: unknown) => error)).to.equal(asked);
    client.release(true);
    await close();
    expect((await database.admin.query('select from campaign_mirror.campaigns')).rowCount).to.equal(0);
  });

  it('what is done is left alone by a signal that comes later', async () => {
    const { pool, client, close, pid } = await opened();
    const stop = new AbortController();
    expect(await stoppable(stop.signal, pool, client, async () => 'done')).to.equal('done');
    stop.abort(asked);
    await client.query('select 1');
    expect(await sessions(pid)).to.equal(1);
    client.release();
    await close();
  });
});
