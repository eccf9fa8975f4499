import { AsyncResource } from 'node:async_hooks';
import { expect } from 'chai';
import { LockQueue, type Queued } from '../../packages/adapters-persistence/src/hot-path/lock-queue.ts';
import { rejection } from '../support/faults.ts';

interface Member extends Queued {
  readonly name: string;
  late(): void;
}

const never = 2 ** 30;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('group commit: the lock queue', () => {
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

  /** Came `ago` milliseconds ago. Resolves when it is sent away. */
  function enters(where: LockQueue<Member>, name: string, campaign: number, ago = 0): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const origin = new AsyncResource('test');
    const since = performance.now() - ago;
    where.enter({ name, line: `${campaign}`, origin, since, late: resolve, reject });
    return promise;
  }

  async function freed(...names: string[]): Promise<void> {
    for (const name of names) free.get(name)?.();
    await turn();
    await turn();
  }

  it('all of a campaign wait in the database together; who comes meanwhile goes with the next', async () => {
    const where = queue(5);
    for (const name of ['a1', 'a2', 'a3']) void enters(where, name, 1);
    void enters(where, 'b1', 2);
    await turn();
    expect(waits).to.deep.equal([['a1', 'a2', 'a3'], ['b1']]);
    for (const name of ['a4', 'a5']) void enters(where, name, 1);
    await turn();
    expect(waits).to.have.length(2);
    await freed('a1');
    expect(waits.slice(2)).to.deep.equal([['a4', 'a5']]);
  });

  it('a campaign is in it until the last of its line is answered, and leaves nothing behind', async () => {
    const where = queue(5);
    const is = () => where.has('1');
    expect(is()).to.equal(false);
    void enters(where, 'a1', 1);
    await turn();
    void enters(where, 'a2', 1);
    await freed('a1');
    expect(is()).to.equal(true);
    await freed('a2');
    expect(is()).to.equal(false);
  });

  it('no more campaigns are waited for than may be, nor more members together: each line has its turn', async () => {
    const where = queue(2, { maxTogether: 2 });
    for (const name of ['a1', 'a2', 'a3']) void enters(where, name, 1);
    for (const [at, name] of ['b', 'c', 'd'].entries()) void enters(where, name, at + 2);
    await turn();
    expect(waits).to.deep.equal([['a1', 'a2'], ['b']]);
    await freed('a1');
    expect(waits.slice(2)).to.deep.equal([['c']]);
    await freed('b', 'c');
    expect(waits.slice(3)).to.deep.equal([['d'], ['a3']]);
  });

  it('who waits for its turn for too long is sent away, and leaves nothing behind; who waits in the database stays', async () => {
    const where = queue(1, { timeout: 5 });
    void enters(where, 'a1', 1);
    await turn();
    await Promise.all([enters(where, 'a2', 1), enters(where, 'b1', 2)]);
    expect(where.has('1')).to.equal(true);
    expect(where.has('2')).to.equal(false);
    void enters(where, 'c1', 3);
    await freed('a1');
    expect(waits).to.deep.equal([['a1'], ['c1']]);
  });

  it('who came later than one who is sent away waits on, in its line and in others', async () => {
    const timeout = 2 ** 20;
    const where = queue(1, { timeout });
    const early = (name: string, campaign: number) => enters(where, name, campaign, timeout - 5);
    void enters(where, 'a1', 1);
    await turn();
    const late = [early('a2', 1), early('b1', 2)];
    for (const [name, campaign] of [
      ['a3', 1],
      ['b2', 2],
      ['c1', 3],
    ] as const)
      void enters(where, name, campaign);
    await Promise.all(late);
    for (const name of ['a1', 'b2', 'c1', 'a3']) await freed(name);
    expect(waits).to.deep.equal([['a1'], ['b2'], ['c1'], ['a3']]);
  });

  it('so many who were sent away at once hold up nobody', async () => {
    const where = queue(1, { timeout: 5 });
    void enters(where, 'first', 0);
    await turn();
    await Promise.all(Array.from({ length: 20_000 }, (_, at) => enters(where, `${at}`, at + 1)));
    void enters(where, 'last', 0);
    await freed('first');
    expect(waits).to.deep.equal([['first'], ['last']]);
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
    const failed = enters(where, 'a', 1);
    void enters(where, 'next', 1);
    expect(await rejection(failed)).to.equal(fault);
    await turn();
    expect(answered).to.deep.equal(['next']);

    const stuck = new LockQueue<Member>(() => new Promise(() => {}), dismiss, { ...limits, timeout: 5 });
    void enters(stuck, 'a', 1);
    await turn();
    expect(await rejection(enters(stuck, 'late', 1))).to.equal(fault);
  });
});
