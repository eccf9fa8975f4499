import { AsyncResource } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import {
  Batches,
  type Stage,
  type Waiting,
} from '../../packages/adapters-persistence/src/hot-path/batches.ts';
import { rejection } from '../support/faults.ts';

interface Member extends Waiting {
  readonly name: string;
  resolve(name: string): void;
}

const never = 2 ** 30;

describe('group commit: batches', () => {
  let begun: string[][];
  let ends: (() => void)[];
  beforeEach(() => {
    begun = [];
    ends = [];
  });

  /** Takes two at a time, and ends a batch when the test says so. */
  const stage: Stage<Member> = {
    take: (waiting) => waiting.splice(0, 2),
    carryOut: async (batch) => {
      begun.push(batch.map(({ name }) => name));
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      await promise;
      for (const member of batch) member.resolve(member.name);
    },
  };

  /** Ends a batch; the next one has begun. */
  async function end(at: number): Promise<void> {
    ends[at]?.();
    await turn();
    await turn();
  }

  /** The answer to one who came so many milliseconds ago. */
  function came(batches: Batches<Member>, name: string, ago = 0): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    batches.add({ name, origin: new AsyncResource('test'), since: performance.now() - ago, resolve, reject });
    return promise;
  }

  it('what comes in one turn goes together at its end, a lone one without company; never two at once, in their order', async () => {
    const batches = new Batches(stage, never);
    const answers = [came(batches, 'alone')];
    expect(begun).to.deep.equal([]);
    await turn();
    expect(begun).to.deep.equal([['alone']]);
    for (const name of ['b', 'c', 'd']) answers.push(came(batches, name));
    await turn();
    expect(begun).to.have.length(1);
    await end(0);
    expect(begun).to.have.length(2);
    await end(1);
    await end(2);
    for (const name of ['e', 'f']) answers.push(came(batches, name));
    await turn();
    await end(3);
    expect(await Promise.all(answers)).to.deep.equal(['alone', 'b', 'c', 'd', 'e', 'f']);
    expect(begun).to.deep.equal([['alone'], ['b', 'c'], ['d'], ['e', 'f']]);
  });

  it('who waits for too long is Unavailable, what came before it in the same turn too; who is under way is answered', async () => {
    // Time enough for a turn of a busy machine.
    const batches = new Batches(stage, 200);
    const [a, b] = [came(batches, 'a', 100), came(batches, 'b', 100)];
    // The second of them some time after the first.
    const beyond = [came(batches, 'beyond', 100), came(batches, 'also beyond')];
    for (const answer of [...beyond, came(batches, 'later')])
      expect(await rejection(answer))
        .to.be.instanceOf(Unavailable)
        .with.property('message', 'no batch could take the request in time');
    await end(0);
    expect(await Promise.all([a, b])).to.deep.equal(['a', 'b']);
    expect(begun).to.deep.equal([['a', 'b']]);
  });

  it('who came later than one who waited for too long waits on, and is answered', async () => {
    const batches = new Batches(stage, never);
    const busy = came(batches, 'busy', never - 200);
    await turn();
    const late = came(batches, 'late', never - 200);
    const later = came(batches, 'later');
    expect(await rejection(late)).to.be.instanceOf(Unavailable);
    await end(0);
    await end(1);
    expect(await Promise.all([busy, later])).to.deep.equal(['busy', 'later']);
  });
});
