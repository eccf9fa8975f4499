import { setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { batches, type Waiting } from '../../packages/adapters-persistence/src/hot-path/batches.ts';
import { lockQueue, type Queued } from '../../packages/adapters-persistence/src/hot-path/lock-queue.ts';
import { rejection } from '../support/promises.ts';

interface InBatch extends Waiting {
  readonly name: string;
  resolve(name: string): void;
}
interface InQueue extends Queued {
  readonly name: string;
}

type LockQueue = ReturnType<typeof lockQueue<InQueue>>;

const never = 2 ** 30;

describe('group commit: batches', () => {
  let begun: string[][];
  let ends: (() => void)[];
  beforeEach(() => {
    begun = [];
    ends = [];
  });

  /** Takes so many at a time, and ends a batch when the test says so. */
  const stage = (most: number) => ({
    take: (waiting: InBatch[]) => waiting.splice(0, most),
    carryOut: async (batch: readonly InBatch[]) => {
      begun.push(batch.map(({ name }) => name));
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      await promise;
      for (const member of batch) member.resolve(member.name);
    },
  });

  /** Ends a batch; the next one has begun. */
  async function end(at: number): Promise<void> {
    ends[at]?.();
    await turn();
    await turn();
  }

  /** The answer to one who came so many milliseconds ago. */
  function came(add: (member: InBatch) => void, name: string, ago = 0): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    add({ name, since: performance.now() - ago, resolve, reject });
    return promise;
  }

  it('what comes in one turn goes together at its end, a lone one without company, in their order', async () => {
    const add = batches(stage(2), never);
    const answers = [came(add, 'alone')];
    expect(begun).to.deep.equal([]);
    await turn();
    expect(begun).to.deep.equal([['alone']]);
    await end(0);
    for (const name of ['b', 'c', 'd']) answers.push(came(add, name));
    await turn();
    for (const at of [1, 2]) await end(at);
    expect(await Promise.all(answers)).to.deep.equal(['alone', 'b', 'c', 'd']);
    expect(begun).to.deep.equal([['alone'], ['b', 'c'], ['d']]);
  });

  it('a second one begins when as many wait as the first has, and a third when one of them has ended', async () => {
    const add = batches(stage(2), never);
    const come = async (names: string) => {
      for (const name of names) void came(add, name);
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
      const add = batches(stage(size), never);
      for (const most of [1, size > 64 ? 1 : 2]) {
        for (let number = 0; number < size; number++) void came(add, String(number));
        await turn();
        expect(begun).to.have.length(most);
      }
    });

  it('who waits for too long is Unavailable, what came before it in the same turn too; who is under way is answered', async () => {
    // Time enough for a turn of a busy machine.
    const add = batches(stage(2), 200);
    const [a, b] = [came(add, 'a', 100), came(add, 'b', 100)];
    // The second of them some time after the first.
    const beyond = [came(add, 'beyond', 100), came(add, 'also beyond')];
    for (const answer of [...beyond, came(add, 'later')])
      expect(await rejection(answer))
        .to.be.instanceOf(Unavailable)
        .with.property('message', 'no batch could take the request in time');
    await end(0);
    expect(await Promise.all([a, b])).to.deep.equal(['a', 'b']);
    expect(begun).to.deep.equal([['a', 'b']]);
  });

  it('who came later than one who waited for too long waits on, and is answered', async () => {
    const add = batches(stage(3), never);
    const busy = ['a', 'b', 'c'].map((name) => came(add, name, never - 200));
    await turn();
    const late = came(add, 'late', never - 200);
    const later = came(add, 'later');
    expect(await rejection(late)).to.be.instanceOf(Unavailable);
    await end(0);
    await end(1);
    expect(await Promise.all([...busy, later])).to.deep.equal(['a', 'b', 'c', 'later']);
  });
});

describe('group commit: the lock queue', () => {
  /** Those who wait in the database, in the order in which they began to. */
  let waits: string[];
  let free: Map<string, () => void>;
  beforeEach(() => {
    waits = [];
    free = new Map();
  });

  /** Waits for one campaign at a time. */
  function queue(timeout: number): LockQueue {
    const wait = ({ name }: InQueue) => {
      waits.push(name);
      return new Promise<void>((resolve) => free.set(name, resolve));
    };
    return lockQueue(wait, { maxLocked: 1, timeout });
  }

  /** Its campaign is the letter of its name; it came `ago` milliseconds ago. Resolves when it is sent away. */
  function enters(where: LockQueue, name: string, ago = 0): Promise<unknown> {
    const since = performance.now() - ago;
    return new Promise((reject) => where.enter({ name, line: name.charAt(0), since, reject }));
  }

  async function entered(where: LockQueue, names: string): Promise<void> {
    for (const name of names.split(' ')) void enters(where, name);
    await turn();
  }

  async function freed(name: string): Promise<void> {
    free.get(name)?.();
    await turn();
    await turn();
  }

  it('who came later than one who is sent away waits on, in its line and in others', async () => {
    const timeout = 2 ** 20;
    const where = queue(timeout);
    await entered(where, 'a1');
    const late = ['a2', 'b1'].map((name) => enters(where, name, timeout - 5));
    await entered(where, 'a3 a4 a5 b2 c1');
    for (const fault of await Promise.all(late)) expect(fault).to.be.instanceOf(Unavailable);
    for (const name of ['a1', 'b2', 'c1', 'a3']) await freed(name);
    expect(waits).to.deep.equal(['a1', 'b2', 'c1', 'a3', 'a4']);
  });
});
