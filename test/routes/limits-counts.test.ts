import { mock } from 'node:test';
import { expect } from 'chai';
import { passing } from '../../packages/app/src/http/limiters.ts';
import { memoryCounting } from '../../packages/app/src/http/memory-counts.ts';
import type { Log } from '../../packages/app/src/logging/log.ts';

describe('contract: limits: counts in memory', () => {
  beforeEach(() => mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 }));
  afterEach(() => mock.timers.reset());

  it('each by itself, also beyond the limit, in a window that begins with the first', async () => {
    const count = memoryCounting({ limit: 2, seconds: 10 });
    expect(await count('a')).to.deep.equal({ consumed: 1, resetIn: 10_000 });
    mock.timers.tick(4_000);
    expect(await count('a')).to.deep.equal({ consumed: 2, resetIn: 6_000 });
    expect(await count('a')).to.deep.equal({ consumed: 3, resetIn: 6_000 });
    expect(await count('b')).to.deep.equal({ consumed: 1, resetIn: 10_000 });
    mock.timers.tick(6_000);
    expect(await count('a')).to.deep.equal({ consumed: 1, resetIn: 10_000 });
    expect(await count('b')).to.include({ consumed: 2 });
  });

  it('of so many at once: who was not seen for the longest is forgotten', async () => {
    const count = memoryCounting({ limit: 9, seconds: 10 }, 2);
    for (const who of ['a', 'b', 'a', 'c']) await count(who);
    const consumed: unknown[] = [];
    for (const who of ['a', 'c', 'b']) consumed.push((await count(who))?.consumed);
    expect(consumed).to.deep.equal([3, 2, 1]);
  });

  it('that are away let calls pass, and the log tells of it once a second, and how often it was not told', async () => {
    const lines: { limit: string; untold: number; err: Error }[] = [];
    const log = { warn: (fields) => lines.push(fields as never) } as Partial<Log> as Log;
    const { count } = passing('key', { limit: 1, seconds: 1 }, () => Promise.reject(new Error('gone')), log);
    const now = mock.method(performance, 'now', () => 0);
    for (let number = 0; number < 3; number++) expect(await count('a')).to.equal(undefined);
    now.mock.mockImplementation(() => 1_000);
    await count('a');
    now.mock.restore();
    expect(lines.map(({ limit, untold, err }) => [limit, untold, err.message])).to.deep.equal([
      ['key', 0, 'gone'],
      ['key', 2, 'gone'],
    ]);
  });
});
