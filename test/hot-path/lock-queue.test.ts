import { AsyncResource } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { LockQueue, type Queued } from '../../packages/adapters-persistence/src/hot-path/lock-queue.ts';

interface Member extends Queued {
  readonly name: string;
  late(): void;
}

const never = 2 ** 30;

describe('group commit: the lock queue', () => {
  /** Those who wait in the database together, in the order in which they began to. */
  let waits: string[][];
  let free: Map<string, () => void>;
  beforeEach(() => {
    waits = [];
    free = new Map();
  });

  function queue(maxCampaigns: number, { timeout = never, maxTogether = 128 } = {}): LockQueue<Member> {
    const wait = (members: readonly Member[]) => {
      waits.push(members.map(({ name }) => name));
      return new Promise<void>((resolve) => free.set(members[0]?.name ?? '', resolve));
    };
    const dismiss = async (members: readonly Member[]) => {
      for (const member of members) member.late();
    };
    return new LockQueue<Member>(wait, dismiss, { maxCampaigns, maxTogether, timeout });
  }

  /** Its campaign is the letter of its name; it came `ago` milliseconds ago. Resolves when it is sent away. */
  function enters(where: LockQueue<Member>, name: string, ago = 0): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const origin = new AsyncResource('test');
    const since = performance.now() - ago;
    where.enter({ name, line: name.charAt(0), origin, since, late: resolve, reject });
    return promise;
  }

  async function entered(where: LockQueue<Member>, names: string): Promise<void> {
    for (const name of names.split(' ')) void enters(where, name);
    await turn();
  }

  async function freed(names: string): Promise<void> {
    for (const name of names.split(' ')) free.get(name)?.();
    await turn();
    await turn();
  }

  it('who waits for its turn for too long is sent away, and leaves nothing behind; who waits in the database stays', async () => {
    const where = queue(1, { timeout: 5 });
    await entered(where, 'a1');
    await Promise.all([enters(where, 'a2'), enters(where, 'b1')]);
    expect([where.has('a'), where.has('b')]).to.deep.equal([true, false]);
    void enters(where, 'c1');
    await freed('a1');
    expect(waits).to.deep.equal([['a1'], ['c1']]);
  });

  it('who came later than one who is sent away waits on, in its line and in others', async () => {
    const timeout = 2 ** 20;
    const where = queue(1, { timeout, maxTogether: 2 });
    await entered(where, 'a1');
    const late = ['a2', 'b1'].map((name) => enters(where, name, timeout - 5));
    await entered(where, 'a3 a4 a5 b2 c1');
    await Promise.all(late);
    for (const name of ['a1', 'b2', 'c1', 'a3']) await freed(name);
    expect(waits).to.deep.equal([['a1'], ['b2'], ['c1'], ['a3', 'a4'], ['a5']]);
  });
});
