import { setImmediate as turn } from 'node:timers/promises';
import { type Campaign, type CampaignId, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { Batches, WaitingCalls } from '../../packages/adapters-persistence/src/hot-path/batches.ts';
import type {
  BatchStatement,
  Call,
  StatementRunner,
} from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { groupedUpdates } from '../../packages/adapters-persistence/src/hot-path/updates.ts';
import { rejection } from '../support/promises.ts';
import { caller, campaign, change } from '../support/store/world.ts';

const never = 2 ** 30;

describe('group commit: calls that wait', () => {
  it('who came later than one who waited for too long waits on', async () => {
    const waiting = new WaitingCalls<string, string>(never, 'late');
    const late = waiting.add('late', undefined, performance.now() - never + 1);
    const later = waiting.add('later');
    expect(await rejection(late))
      .to.be.instanceOf(Unavailable)
      .with.property('message', 'late');
    for (const { wanted, resolve } of waiting.take(2)) resolve(wanted);
    expect(await later).to.equal('later');
  });
});

describe('group commit: batches', () => {
  let begun: string[][];
  let ends: (() => void)[];
  beforeEach(() => {
    begun = [];
    ends = [];
  });

  /** Of so many calls, each answered with its name when the test ends the batch. */
  function batchesOf(maxSize: number, timeout = never): Batches<string, string> {
    const runBatch = async (_: unknown, batch: readonly Call<string, string>[]) => {
      begun.push(batch.map(({ wanted }) => wanted));
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      await promise;
      for (const call of batch) call.resolve(call.wanted);
    };
    const statement = { maxSize } as BatchStatement<string, string>;
    return new Batches({ runBatch } as unknown as StatementRunner, statement, timeout);
  }

  /** Ends a batch; the next one has begun. */
  async function end(at: number): Promise<void> {
    ends[at]?.();
    await turn();
    await turn();
  }

  it('what comes in one turn goes together at its end, a lone one without company, in their order', async () => {
    const batches = batchesOf(2);
    const answers = [batches.run('alone')];
    expect(begun).to.deep.equal([]);
    await turn();
    expect(begun).to.deep.equal([['alone']]);
    await end(0);
    for (const name of ['b', 'c', 'd']) answers.push(batches.run(name));
    await turn();
    for (const at of [1, 2]) await end(at);
    expect(await Promise.all(answers)).to.deep.equal(['alone', 'b', 'c', 'd']);
    expect(begun).to.deep.equal([['alone'], ['b', 'c'], ['d']]);
  });

  it('a second one begins when as many wait as the first has, and a third when one of them has ended', async () => {
    const batches = batchesOf(2);
    const come = async (names: string) => {
      for (const name of names) void batches.run(name);
      await turn();
    };
    await come('ab');
    await come('c');
    expect(begun).to.have.length(1);
    await come('d');
    expect(begun).to.have.length(2);
    await come('efg');
    expect(begun).to.have.length(2);
    for (const at of [1, 0]) {
      await end(at);
      expect(begun).to.have.length(3);
    }
    await end(2);
    expect(begun).to.deep.equal([['a', 'b'], ['c', 'd'], ['e', 'f'], ['g']]);
  });

  for (const size of [64, 65])
    it(`${size > 64 ? 'none' : 'another one'} begins beside one of ${size}`, async () => {
      const batches = batchesOf(size);
      for (const most of [1, size > 64 ? 1 : 2]) {
        for (let number = 0; number < size; number++) void batches.run(String(number));
        await turn();
        expect(begun).to.have.length(most);
      }
    });

  it('who waits for too long is Unavailable; who is under way is answered', async () => {
    // Time enough for a turn of a busy machine.
    const batches = batchesOf(2, 200);
    const answers = [batches.run('a'), batches.run('b')];
    await turn();
    expect(await rejection(batches.run('beyond')))
      .to.be.instanceOf(Unavailable)
      .with.property('message', 'no batch could take the request in time');
    await end(0);
    expect(await Promise.all(answers)).to.deep.equal(['a', 'b']);
    expect(begun).to.deep.equal([['a', 'b']]);
  });
});

describe('group commit: lines of locked mirrors', () => {
  it('each line has its turn, and each keeps its order', async () => {
    /** Those who waited in the database, in the order in which they began to. */
    const waits: string[] = [];
    let free = () => {};
    const runBatch = async (
      { name }: { name: string },
      batch: readonly Call<{ requestId: string }, object>[],
    ) => {
      if (name === 'set-locked-mirror') {
        waits.push(...batch.map(({ wanted }) => wanted.requestId));
        await new Promise<void>((resolve) => {
          free = resolve;
        });
      }
      const kind = name === 'set-mirrors' ? 'locked' : 'mirror-set';
      for (const { resolve } of batch) resolve({ kind });
    };
    const statements = { runBatch, observer: {} } as unknown as StatementRunner;
    const find = async () => undefined;
    const set = groupedUpdates(statements, find, { maxLocked: 1, timeout: never });
    /** The campaign is the letter of the name. */
    const enters = (name: string) => {
      const seen: Campaign = { ...campaign, id: name.charCodeAt(0) as CampaignId };
      return set(seen, { ...change(caller), requestId: name });
    };
    const all = [enters('a1')];
    await turn();
    await turn();
    for (const name of ['a2', 'b1', 'a3', 'b2', 'c1']) all.push(enters(name));
    for (let nth = 0; nth < 6; nth++) {
      await turn();
      await turn();
      free();
    }
    for (const result of await Promise.all(all)) expect(result).to.have.property('kind', 'mirror-set');
    expect(waits).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });
});
