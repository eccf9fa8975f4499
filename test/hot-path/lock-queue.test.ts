import { AsyncResource } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { LockQueue, type Queued } from '../../packages/adapters-persistence/src/hot-path/lock-queue.ts';
import { rejection } from '../support/faults.ts';

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

  it('all of a campaign wait in the database together; who comes meanwhile goes with the next; nothing is left behind', async () => {
    const where = queue(5);
    expect(where.has('a')).to.equal(false);
    await entered(where, 'a1 a2 a3 b1');
    expect(waits).to.deep.equal([['a1', 'a2', 'a3'], ['b1']]);
    await entered(where, 'a4 a5');
    expect(waits).to.have.length(2);
    await freed('a1');
    expect(waits.slice(2)).to.deep.equal([['a4', 'a5']]);
    expect(where.has('a')).to.equal(true);
    await freed('a4');
    expect([where.has('a'), where.has('b')]).to.deep.equal([false, true]);
  });

  it('no more campaigns are waited for than may be, nor more members together: each line has its turn', async () => {
    const where = queue(2, { maxTogether: 2 });
    await entered(where, 'a1 a2 a3 b c d');
    expect(waits).to.deep.equal([['a1', 'a2'], ['b']]);
    await freed('a1');
    expect(waits.slice(2)).to.deep.equal([['c']]);
    await freed('b c');
    expect(waits.slice(3)).to.deep.equal([['d'], ['a3']]);
  });

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
    const where = queue(1, { timeout });
    await entered(where, 'a1');
    const late = ['a2', 'b1'].map((name) => enters(where, name, timeout - 5));
    await entered(where, 'a3 b2 c1');
    await Promise.all(late);
    for (const name of ['a1', 'b2', 'c1', 'a3']) await freed(name);
    expect(waits).to.deep.equal([['a1'], ['b2'], ['c1'], ['a3']]);
  });

  it('a wait and a dismissal that fail reject their members, and the next are waited for', async () => {
    const fault = new Error('on purpose');
    const answered: string[] = [];
    const wait = async ([member]: readonly Member[]) => {
      if (member?.name !== 'next') throw fault;
      answered.push(member.name);
    };
    const dismiss = () => Promise.reject(fault);
    const limits = { maxCampaigns: 1, maxTogether: 1, timeout: never };
    const where = new LockQueue<Member>(wait, dismiss, limits);
    const failed = enters(where, 'none');
    void enters(where, 'next');
    expect(await rejection(failed)).to.equal(fault);
    await turn();
    expect(answered).to.deep.equal(['next']);

    const stuck = new LockQueue<Member>(() => new Promise(() => {}), dismiss, { ...limits, timeout: 5 });
    await entered(stuck, 'a');
    expect(await rejection(enters(stuck, 'also'))).to.equal(fault);
  });
});
