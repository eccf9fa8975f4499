import { expect } from 'chai';
import { backOff } from '../../packages/app/src/fleet/back-off.ts';
import { leastPoolSize, workerShare } from '../../packages/app/src/settings/worker-count.ts';

describe('workers: how many, and what each has', () => {
  it('POOL_SIZE is divided among them and the one more of a rolling restart', () => {
    expect(workerShare(2, 8, 10)).to.deep.equal({ workers: 2, poolSize: 3 });
    expect(workerShare(4, 2, 10)).to.deep.equal({ workers: 4, poolSize: 2 });
    expect(workerShare(9, 2, 10)).to.deep.equal({ workers: 9, poolSize: 1 });
  });

  it('auto: one for each core, as far as there are two connections for each', () => {
    expect(workerShare('auto', 2, 10)).to.deep.equal({ workers: 2, poolSize: 3 });
    expect(workerShare('auto', 1, 10)).to.deep.equal({ workers: 1, poolSize: 5 });
    expect(workerShare('auto', 64, 10)).to.deep.equal({ workers: 4, poolSize: 2, fewer: true });
    expect(workerShare('auto', 64, 2)).to.deep.equal({ workers: 1, poolSize: 1, fewer: true });
  });

  it('the connections that are needed never exceed POOL_SIZE', () => {
    for (const asked of [2, 3, 7, 16, 'auto'] as const) {
      for (let size = leastPoolSize(asked); size < 100; size++) {
        const { workers, poolSize } = workerShare(asked, 16, size);
        expect((workers + 1) * poolSize, `${asked}, ${size}`).to.be.at.most(size);
        expect(poolSize).to.be.at.least(1);
      }
    }
  });

  it('one process needs none to spare', () => expect(leastPoolSize(1)).to.equal(1));

  it('who keeps crashing waits longer and longer, up to a bound, and anew once it was well', () => {
    const pauseAfter = backOff({ first: 100, longest: 1_000, healthy: 60_000 });
    const pauses = Array.from({ length: 6 }, () => pauseAfter(50));
    expect(pauses).to.deep.equal([100, 200, 400, 800, 1_000, 1_000]);
    expect(pauseAfter(60_000)).to.equal(100);
  });
});
