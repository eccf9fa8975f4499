import { type CampaignId, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { type Held, WaitingRoom } from '../../packages/adapters-persistence/src/waiting-room.ts';
import { rejection } from '../support/faults.ts';

interface Member extends Held {
  readonly name: string;
}

const never = 2 ** 30;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('group commit: the waiting room', () => {
  let waits: string[];
  let triedAgain: string[][];
  let free: Map<string, () => void>;

  beforeEach(() => {
    waits = [];
    triedAgain = [];
    free = new Map();
  });

  function room(most: number, patience = never): WaitingRoom<Member> {
    return new WaitingRoom<Member>(
      {
        wait: ({ name }) => {
          waits.push(name);
          return new Promise((resolve) => free.set(name, resolve));
        },
        tryAgain: (members) => {
          if (members.length > 0) triedAgain.push(members.map(({ name }) => name));
        },
      },
      { most, patience },
    );
  }

  /** Resolves with the fault when it is sent away. */
  function enters(where: WaitingRoom<Member>, name: string, campaign: number): Promise<unknown> {
    const { promise, reject } = Promise.withResolvers<never>();
    where.enter({ name, campaign: campaign as CampaignId, since: performance.now(), reject });
    return rejection(promise);
  }

  async function freed(...names: string[]): Promise<void> {
    for (const name of names) free.get(name)?.();
    await turn();
  }

  it('one of a campaign waits in the database; when it is answered, the others try again together', async () => {
    const where = room(5);
    for (const name of ['a1', 'a2', 'a3']) void enters(where, name, 1);
    void enters(where, 'b1', 2);
    expect(waits).to.deep.equal(['a1', 'b1']);
    await freed('a1');
    expect(triedAgain).to.deep.equal([['a2', 'a3']]);
    void enters(where, 'a2', 1);
    expect(waits).to.deep.equal(['a1', 'b1', 'a2']);
  });

  it('no more campaigns are waited for than may be: the next one is when one is free, in the order in which they came', async () => {
    const where = room(2);
    for (const [at, name] of ['a', 'b', 'c', 'd', 'e'].entries()) void enters(where, name, at);
    expect(waits).to.deep.equal(['a', 'b']);
    await freed('b');
    expect(waits).to.deep.equal(['a', 'b', 'c']);
    await freed('a', 'c');
    expect(waits).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    expect(triedAgain).to.deep.equal([]);
  });

  it('who waits for its turn for too long is sent away, and neither waits nor tries again; who waits in the database stays', async () => {
    const where = room(1, 5);
    void enters(where, 'a1', 1);
    for (const fault of await Promise.all([enters(where, 'a2', 1), enters(where, 'b1', 2)])) {
      expect(fault).to.be.instanceOf(Unavailable);
    }
    void enters(where, 'c1', 3);
    await freed('a1');
    expect(waits).to.deep.equal(['a1', 'c1']);
    expect(triedAgain).to.deep.equal([]);
  });

  it('keeps nothing of a campaign that nobody waits for any more', async () => {
    const made: Map<unknown, unknown>[] = [];
    const { Map: real } = globalThis;
    globalThis.Map = class<K, V> extends real<K, V> {
      constructor() {
        super();
        made.push(this);
      }
    } as MapConstructor;
    const where = room(2, 5);
    globalThis.Map = real;
    for (const name of ['a1', 'a2']) void enters(where, name, 1);
    void enters(where, 'b1', 2);
    const faults = Promise.all([enters(where, 'b2', 2), enters(where, 'c1', 3), enters(where, 'd1', 4)]);
    expect(made.map((map) => [...map.keys()])).to.deep.equal([[1, 2, 3, 4]]);
    await faults;
    expect([...(made[0] ?? []).keys()], 'sent away').to.deep.equal([1, 2]);
    await freed('a1', 'b1');
    expect(made[0]?.size, 'answered').to.equal(0);
  });

  it('so many who were sent away at once hold up nobody', async () => {
    const where = room(1, 5);
    void enters(where, 'first', 0);
    await Promise.all(Array.from({ length: 20_000 }, (_, at) => enters(where, `${at}`, at + 1)));
    void enters(where, 'last', 0);
    await freed('first');
    expect(triedAgain).to.deep.equal([['last']]);
  });
});
