import FakeTimers, { type Clock } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { pageData } from '../../packages/app/src/ops-page/page-data.ts';

const away = { keys: null, moves: null };

describe('what the pages ask of the database', () => {
  let clock: Clock;
  let asked: number;
  let answer: () => Promise<unknown>;
  let failures: unknown[];

  beforeEach(() => {
    clock = FakeTimers.install({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
    asked = 0;
    failures = [];
    answer = async () => ({ rows: [] });
  });
  afterEach(() => clock.uninstall());

  const data = () => {
    const query = () => {
      asked += 1;
      return answer();
    };
    return pageData(
      { query } as unknown as Pool,
      { error: (fields: unknown) => failures.push(fields) } as never,
    );
  };

  it('the lists at most once in 30 s, also where the database does not answer, and with an end', async () => {
    const { lists } = data();
    await Promise.all([lists(), lists()]);
    expect(asked, 'keys and moves').to.equal(2);
    await clock.tickAsync(29_000);
    await lists();
    expect(asked).to.equal(2);
    await clock.tickAsync(1_000);
    answer = () => new Promise(() => {});
    const hanging = lists();
    await clock.tickAsync(1_000);
    expect(await hanging).to.deep.equal(away);
    const before = asked;
    await clock.tickAsync(29_000);
    expect(await lists()).to.deep.equal(away);
    expect(asked).to.equal(before);
  });

  it('a database that is away is told by the page, not by the log', async () => {
    answer = () => Promise.reject(Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' }));
    expect(await data().lists()).to.deep.equal(away);
    expect(failures).to.deep.equal([]);
  });

  it('a fault of a statement is logged, and nothing is known', async () => {
    answer = () => Promise.reject(Object.assign(new Error('no right'), { code: '42501' }));
    const { lists, demonstration } = data();
    expect(await lists()).to.deep.equal(away);
    expect(await demonstration()).to.equal(undefined);
    expect(failures).to.have.length(1);
    expect(failures[0]).to.include({ event: 'page-failed' });
  });
});
