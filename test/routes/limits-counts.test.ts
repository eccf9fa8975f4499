import { mock } from 'node:test';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import {
  countingLimiter,
  type LimitObserver,
  limitsLog,
} from '../../packages/app/src/limits/counting-limiter.ts';
import { memoryCounts } from '../../packages/app/src/limits/memory-counts.ts';
import { PrimaryCounts } from '../../packages/app/src/limits/primary-counts.ts';
import type { Log } from '../../packages/app/src/logging/log.ts';
import { rejection } from '../support/faults.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('counts in memory', () => {
  beforeEach(() => mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 }));
  afterEach(() => mock.timers.reset());

  it('each by itself, also beyond the limit, in a window that begins with the first', async () => {
    const counts = memoryCounts({ limit: 2, seconds: 10 });
    expect(await counts.count('a')).to.deep.equal({ consumed: 1, resetIn: 10_000 });
    mock.timers.tick(4_000);
    expect(await counts.count('a')).to.deep.equal({ consumed: 2, resetIn: 6_000 });
    expect(await counts.count('a')).to.deep.equal({ consumed: 3, resetIn: 6_000 });
    expect(await counts.count('b')).to.deep.equal({ consumed: 1, resetIn: 10_000 });
    mock.timers.tick(6_000);
    expect(await counts.count('a')).to.deep.equal({ consumed: 1, resetIn: 10_000 });
    expect(await counts.count('b')).to.include({ consumed: 2 });
  });

  it('of so many at once: who was not seen for the longest is forgotten', async () => {
    const counts = memoryCounts({ limit: 9, seconds: 10 }, 2);
    for (const who of ['a', 'b', 'a', 'c']) await counts.count(who);
    const consumed = async (who: string) => (await counts.count(who)).consumed;
    expect([await consumed('a'), await consumed('c'), await consumed('b')]).to.deep.equal([3, 2, 1]);
  });
});

describe('counts that the primary keeps', () => {
  let questions: { question: number; who: readonly string[] }[];
  let counts: PrimaryCounts;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    questions = [];
    counts = new PrimaryCounts((question, who) => questions.push({ question, who }));
  });
  afterEach(() => mock.timers.reset());

  it('are asked for together, and each is answered for itself', async () => {
    const both = Promise.all([counts.count('a'), counts.count('b')]);
    await turn();
    expect(questions).to.deep.equal([{ question: 1, who: ['a', 'b'] }]);
    counts.counted(1, [
      [1, 1_000],
      [7, 500],
    ]);
    expect(await both).to.deep.equal([
      { consumed: 1, resetIn: 1_000 },
      { consumed: 7, resetIn: 500 },
    ]);
  });

  it('are waited for 250 ms; an answer that comes later is for nobody', async () => {
    const late = rejection(counts.count('a'));
    await turn();
    mock.timers.tick(250);
    expect(String(await late)).to.include('did not answer in time');
    counts.counted(1, [[1, 1_000]]);
  });

  it('are not asked for while 32 questions have no answer, but once a second, until one is answered', async () => {
    const now = mock.method(performance, 'now', () => 10_000);
    const ask = async (times: number) => {
      for (let number = 0; number < times; number++) {
        void rejection(counts.count('a'));
        await turn();
      }
    };
    await ask(32);
    expect(String(await rejection(counts.count('a')))).to.include('did not answer in time');
    expect(questions).to.have.length(32);
    now.mock.mockImplementation(() => 11_000);
    await ask(2);
    expect(questions).to.have.length(33);
    counts.counted(33, [[1, 900]]);
    await ask(2);
    now.mock.restore();
    expect(questions).to.have.length(35);
  });

  it('a primary that does not count is one that is away', async () => {
    const nothing = rejection(counts.count('a'));
    await turn();
    counts.counted(1, []);
    expect(String(await nothing)).to.include('does not count');
  });
});

describe('RATE_LIMIT_WHEN_AWAY', () => {
  const away = { count: () => Promise.reject(new Error('gone')) };
  const heard: unknown[][] = [];
  const observer: LimitObserver = { uncounted: (...words) => heard.push(words) };
  const limiter = (whenAway: 'open' | 'closed') =>
    countingLimiter('key', { limit: 1, seconds: 1 }, away, whenAway, observer);

  it('open lets pass, closed does not, and each time it is told', async () => {
    expect(await limiter('open').count('a')).to.equal(undefined);
    expect(await rejection(limiter('closed').count('a'))).to.be.instanceOf(Unavailable);
    expect(heard.map(([limit, error, passed]) => [limit, String(error), passed])).to.deep.equal([
      ['key', 'Error: gone', true],
      ['key', 'Error: gone', false],
    ]);
  });

  it('the log tells of it once a second for each limit, and how often it was not told', () => {
    const lines: object[] = [];
    const observed = limitsLog({ warn: (fields: object) => lines.push(fields) } as Partial<Log> as Log);
    const now = mock.method(performance, 'now', () => 0);
    for (let number = 0; number < 3; number++) observed.uncounted('key', undefined, true);
    observed.uncounted('failed-keys', undefined, true);
    now.mock.mockImplementation(() => 1_000);
    observed.uncounted('key', undefined, false);
    now.mock.restore();
    const told = lines as { limit: string; passed: boolean; untold: number }[];
    expect(told.map(({ limit, passed, untold }) => [limit, passed, untold])).to.deep.equal([
      ['key', true, 0],
      ['failed-keys', true, 0],
      ['key', false, 2],
    ]);
  });
});
