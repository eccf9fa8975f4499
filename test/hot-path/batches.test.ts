import { AsyncResource } from 'node:async_hooks';
import { openHotPath } from '@campaign-mirror/adapters-persistence/sql';
import { type CampaignId, Unavailable } from '@campaign-mirror/domain';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import type { Pool } from 'pg';
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

/** Takes two at a time, and ends a batch when the test says so. */
class HandMade implements Stage<Member> {
  readonly batches: string[][] = [];
  readonly ends: ((fault?: Error) => void)[] = [];
  #begun: (() => void)[] = [];

  take(waiting: Member[]): Member[] {
    return waiting.splice(0, 2);
  }

  async carryOut(batch: readonly Member[]): Promise<void> {
    this.batches.push(batch.map(({ name }) => name));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ends.push((fault) => (fault ? reject(fault) : resolve()));
    for (const hear of this.#begun.splice(0)) hear();
    await promise;
    for (const member of batch) member.resolve(member.name);
  }

  async untilBegun(batches: number): Promise<void> {
    while (this.batches.length < batches) await new Promise<void>((resolve) => this.#begun.push(resolve));
  }
}

const never = 2 ** 30;

describe('group commit: batches', () => {
  let stage: HandMade;
  beforeEach(() => {
    stage = new HandMade();
  });

  /** The answers to those who wait. */
  function added(batches: Batches<Member>, ...names: string[]): Promise<string>[] {
    return names.map((name) => came(batches, name, 0));
  }

  /** So many milliseconds ago. */
  function came(batches: Batches<Member>, name: string, ago: number): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    batches.add({ name, origin: new AsyncResource('test'), since: performance.now() - ago, resolve, reject });
    return promise;
  }

  it('what comes in one turn goes together at its end; a lone one waits for no company', async () => {
    const batches = new Batches(stage, never);
    const alone = added(batches, 'alone');
    expect(stage.batches).to.deep.equal([]);
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(stage.batches).to.deep.equal([['alone']]);
    stage.ends[0]?.();
    await Promise.all(alone);
    const both = added(batches, 'first', 'second');
    await stage.untilBegun(2);
    expect(stage.batches[1]).to.deep.equal(['first', 'second']);
    stage.ends[1]?.();
    await Promise.all(both);
  });

  it('never two at once: what comes meanwhile goes next, in its order', async () => {
    const batches = new Batches(stage, never);
    const answers = added(batches, 'a');
    await stage.untilBegun(1);
    answers.push(...added(batches, 'b', 'c', 'd'));
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(stage.batches).to.have.length(1);
    for (let at = 0; at < 3; at++) {
      await stage.untilBegun(at + 1);
      expect(stage.batches).to.have.length(at + 1);
      stage.ends[at]?.();
    }
    expect(await Promise.all(answers)).to.have.length(4);
    expect(stage.batches).to.deep.equal([['a'], ['b', 'c'], ['d']]);
  });

  it('who waits for too long is Unavailable, what came before it in the same turn too; who is under way is answered', async () => {
    const batches = new Batches(stage, 5);
    const together = added(batches, 'a', 'b', 'beyond', 'also beyond');
    for (const answer of together.slice(2)) expect(await rejection(answer)).to.be.instanceOf(Unavailable);
    expect(await rejection(added(batches, 'later')[0] as Promise<string>)).to.be.instanceOf(Unavailable);
    stage.ends[0]?.();
    expect(await Promise.all(together.slice(0, 2))).to.deep.equal(['a', 'b']);
    expect(stage.batches).to.deep.equal([['a', 'b']]);
  });

  it('who waits for too long is Unavailable; who came later waits on, and is answered', async () => {
    const batches = new Batches(stage, never);
    const long = never - 5;
    const busy = came(batches, 'busy', long);
    await stage.untilBegun(1);
    const late = came(batches, 'late', long);
    const later = came(batches, 'later', 0);
    expect(await rejection(late)).to.be.instanceOf(Unavailable);
    stage.ends[0]?.();
    await stage.untilBegun(2);
    stage.ends[1]?.();
    expect(await Promise.all([busy, later])).to.deep.equal(['busy', 'later']);
  });

  it('where all of a turn have to wait elsewhere, nothing is carried out', async () => {
    let asked = 0;
    class Elsewhere extends HandMade {
      override take(waiting: Member[]): Member[] {
        asked += 1;
        waiting.splice(0);
        return [];
      }
    }
    stage = new Elsewhere();
    const batches = new Batches(stage, never);
    for (let turns = 1; turns <= 2; turns++) {
      added(batches, 'a', 'b');
      await new Promise<void>((resolve) => setImmediate(resolve));
      expect(asked).to.equal(turns);
    }
    expect(stage.batches).to.deep.equal([]);
  });

  it('a stage that fails fails its batch alone: the next goes', async () => {
    const batches = new Batches(stage, never);
    const first = added(batches, 'a', 'b');
    await stage.untilBegun(1);
    const second = added(batches, 'c');
    const fault = new Error('on purpose');
    stage.ends[0]?.(fault);
    for (const answer of first) expect(await rejection(answer)).to.equal(fault);
    await stage.untilBegun(2);
    stage.ends[1]?.();
    expect(await second[0]).to.equal('c');
  });

  it('a pool without a limit for waiting sets none here either', async () => {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<{ rows: null[][] }>();
    const query = () => {
      arrived.resolve();
      return released.promise;
    };
    const pool = { query } as unknown as Pool;
    const { campaigns } = openHotPath(pool, { limits: { size: 1, waitTimeout: 0 } });
    const clock = install({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const first = campaigns.find(1 as CampaignId);
      await arrived.promise;
      const second = campaigns.find(2 as CampaignId);
      clock.tick(3_600_000);
      // No such campaign.
      released.resolve({ rows: [[null, null, null, null, null]] });
      expect(await Promise.all([first, second])).to.deep.equal([undefined, undefined]);
    } finally {
      clock.uninstall();
    }
  });
});
