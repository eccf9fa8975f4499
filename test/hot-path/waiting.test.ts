import { setImmediate as turn } from 'node:timers/promises';
import { type Campaign, type CampaignId, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { Batches } from '../../packages/adapters-persistence/src/hot-path/batches.ts';
import type {
  BatchStatement,
  Call,
  StatementRunner,
} from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { groupedUpdates } from '../../packages/adapters-persistence/src/hot-path/updates.ts';
import { rejection } from '../support/promises.ts';
import { caller, campaign, change } from '../support/store/world.ts';

const never = 2 ** 30;
const turns = async () => {
  await turn();
  await turn();
};

describe('calls that wait for a batch', () => {
  let begun: string[][];
  let ends: (() => void)[];
  beforeEach(() => {
    begun = [];
    ends = [];
  });

  /** Answers each call with its name when the test ends the batch. */
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

  it('form a second batch when as many wait as the first has, and never a third', async () => {
    const batches = batchesOf(2);
    for (const [names, expected] of [
      ['ab', 1],
      ['c', 1],
      ['d', 2],
      ['efg', 2],
    ] as const) {
      for (const name of names) void batches.run(name);
      await turn();
      expect(begun).to.have.length(expected);
    }
    ends[1]?.();
    await turns();
    expect(begun).to.deep.equal([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
  });

  it('are Unavailable after the timeout; calls that are under way are answered', async () => {
    // Enough for one turn of a busy machine.
    const batches = batchesOf(2, 200);
    const answers = [batches.run('a'), batches.run('b')];
    await turn();
    expect(await rejection(batches.run('beyond'))).to.be.instanceOf(Unavailable);
    ends[0]?.();
    expect(await Promise.all(answers)).to.deep.equal(['a', 'b']);
  });

  it('for locked mirrors take turns, and keep the order of each mirror', async () => {
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
    const set = groupedUpdates(statements, async () => undefined, { maxLocked: 1, timeout: never });
    /** The campaign is the letter of the name. */
    const enter = (name: string) => {
      const seen: Campaign = { ...campaign, id: name.charCodeAt(0) as CampaignId };
      return set(seen, { ...change(caller), requestId: name });
    };
    const all = [enter('a1')];
    await turns();
    for (const name of ['a2', 'b1', 'a3', 'b2', 'c1']) all.push(enter(name));
    for (let nth = 0; nth < 6; nth++) {
      await turns();
      free();
    }
    for (const result of await Promise.all(all)) expect(result).to.have.property('kind', 'mirror-set');
    expect(waits).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });
});
