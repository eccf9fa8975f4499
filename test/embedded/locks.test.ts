import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import pg from 'pg';
import { registerMember, unregister } from '../../packages/embedded-postgres/src/supervision/locks.ts';
import { until } from '../support/embedded/embedded-sandbox.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('who is the last to leave the embedded database', () => {
  const database = databaseOf('suite');
  let leaving: pg.Client;
  let other: pg.Client;
  beforeEach(async () => {
    leaving = await member(process.pid);
  });
  afterEach(async () => {
    await leaving.end();
    await other.end();
  });

  async function member(processId: number): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: database.url('owner'),
      application_name: `campaign mirror process ${processId}`,
    });
    await client.connect();
    await registerMember(client);
    return client;
  }

  /** Its connection ends, as the server notices that of a killed process after a while. */
  async function isNoticed(client: pg.Client): Promise<void> {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    await client.end();
    const backends = () => database.admin.query('select from pg_stat_activity where pid = $1', [rows[0].pid]);
    await until('the end of a backend', async () => (await backends()).rowCount === 0);
  }

  /** Leaves, with something that happens once behind the first statement of which this is a part. */
  function leaveWith(part: string, happens: () => Promise<void>): Promise<boolean> {
    let over = false;
    const query = async (text: string, values?: unknown[]) => {
      const found = await leaving.query(text, values);
      if (!over && text.includes(part)) {
        over = true;
        await happens();
      }
      return found;
    };
    return unregister({ query } as unknown as pg.Client);
  }

  const ended = () => spawnSync('true').pid;

  it('one that has a living process beside it is not', async () => {
    other = await member(process.ppid);
    expect(await unregister(leaving)).to.equal(false);
  });

  it('one whose neighbour was killed is, once the server has noticed', async () => {
    other = await member(ended());
    expect(await leaveWith('pg_stat_activity', () => isNoticed(other))).to.equal(true);
  });

  it('so it is when the server notices between the two looks', async () => {
    other = await member(ended());
    expect(await leaveWith('pg_try_advisory_lock', () => isNoticed(other))).to.equal(true);
  });
});
