import { expect } from 'chai';
import { Random } from '../history/workload/known.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { seed } from '../support/seed.ts';
import * as acts from './acts.ts';
import { judge } from './judge.ts';
import { type Choose, connections, everyOrder, waitingOn } from './sessions.ts';
import { first, prepared, type Stage, stagesIn } from './stage.ts';
import { operatorSets, update } from './updates.ts';

/** `all`: every order of three short sessions, which takes minutes. Otherwise some orders. */
const isWhole = process.env.PERMUTATIONS === 'all';
/** Each worker has its own database, and mostly waits for it. */
const workers = 4;

type Make = acts.Make;
type Step = acts.Actor['steps'][number];

/** `begin` is sent with the statement after it, since it sees nothing by itself. */
function committed(act: acts.Act, ...more: acts.Act[]): Step[] {
  const run: acts.Act['run'] = async (client) =>
    (await Promise.all([client.query('begin'), act.run(client)]))[1];
  return [{ ...act, run }, ...more, 'commit'];
}

const byService =
  (...how: ['waits' | 'passes' | 'batch', 'unchanged'?]): Make =>
  (stage, nth) => ({ role: 'service', steps: committed(update(stage, nth, ...how)) });
const byOperator =
  (make: (stage: Stage, nth: number) => Step[]): Make =>
  (stage, nth) => ({ role: 'operator', steps: make(stage, nth) });

/** One transaction after the other. */
const inTwo = (make: (stage: Stage) => acts.Act[]) =>
  byOperator((stage) => make(stage).flatMap((act) => committed(act)));

const short: Record<string, Make> = {
  'an update that waits': byService('waits'),
  'an update': byService('passes'),
  'the operator sets it': byOperator((stage, nth) => committed(operatorSets(stage, nth))),
  transfer: byOperator((stage) => committed(acts.transfer(stage, stage.otherOwner))),
  revocation: byOperator((stage) => committed(acts.revocation(stage))),
  click: (stage, nth) => ({ role: 'redirector', steps: committed(acts.click(stage, nth)) }),
  reader: (stage) => acts.reader(stage),
};

const actors: Record<string, Make> = {
  ...short,
  'an update that waits, if it is unchanged': byService('waits', 'unchanged'),
  'an update in a batch': byService('batch'),
  'an update in a batch, if it is unchanged': byService('batch', 'unchanged'),
  'the operator moves it': byOperator((stage, nth) => committed(operatorSets(stage, nth, first))),
  'transfer, then back': inTwo((stage) => [
    acts.transfer(stage, stage.otherOwner),
    acts.transfer(stage, stage.owner),
  ]),
  'default and back': byOperator((stage) => committed(acts.flag(stage, true), acts.flag(stage, false))),
  'deletion and creation': byOperator((stage) => committed(acts.deletion(stage), acts.creation(stage))),
  'deletion, then creation': inTwo((stage) => [acts.deletion(stage), acts.creation(stage)]),
};

describe('concurrent sessions leave what they would leave one after the other', function () {
  this.timeout(3_600_000);
  let places: { readonly database: TestDatabase; readonly nextStage: ReturnType<typeof stagesIn> }[];
  before(async () => {
    const databases = await Promise.all(Array.from({ length: workers }, freshDatabase));
    for (const database of databases) await prepared(database);
    places = databases.map((database) => ({ database, nextStage: stagesIn(database) }));
  });
  after(async () => {
    for (const { database } of places) await database.drop();
  });

  it('two sessions, in every order, with and without a rollback', async () => {
    const pairs = combinations(Object.keys(actors), 2).flatMap((names) =>
      [undefined, 0, 1].map((rolledBack) => ({ names, rolledBack })),
    );
    await onEach(pairs, ({ names, rolledBack }, play) => {
      const makes = names.map((name, nth) => {
        const make = actors[name] as Make;
        return nth === rolledBack ? undone(make) : make;
      });
      return everyOrder((choose) => play(makes, choose));
    });
  });

  it(`three sessions, in some orders (SEED=${seed})`, async () => {
    await onEach(combinations(Object.keys(actors), 3), async (names, play, nth) => {
      const random = new Random(seed + nth);
      const makes = names.map((name) => actors[name] as Make);
      for (let order = 0; order < 2; order++) await play(makes, (options) => random.one(options) as number);
      return 2;
    });
  });

  it('three short sessions, in every order', async () => {
    // Without `all`, only those in which a key is revoked while an update waits.
    const revoked = [['the operator sets it', 'an update that waits', 'revocation']];
    await onEach(isWhole ? combinations(Object.keys(short), 3) : revoked, (names, play) => {
      const makes = names.map((name) => short[name] as Make);
      return everyOrder((choose) => play(makes, choose));
    });
  });

  type Play = (makes: readonly Make[], choose: Choose) => Promise<void>;

  /** Shares the work among the workers. `work` resolves with the number of orders that it played. */
  async function onEach<T>(all: readonly T[], work: (one: T, play: Play, nth: number) => Promise<number>) {
    const queue = [...all.entries()];
    let orders = 0;
    const whoWaits = waitingOn(places[0]?.database as TestDatabase);
    const worker = async ({ database, nextStage }: (typeof places)[number]) => {
      const { play, close } = connections(database, whoWaits);
      const judged = async (one: T, makes: readonly Make[], choose: Choose) => {
        const { stage, state } = await nextStage();
        const made = makes.map((make, nth) => make(stage, nth));
        const path: number[] = [];
        const noted: Choose = (options) => path[path.push(choose(options)) - 1] as number;
        try {
          await judge(database.admin, stage, state, await play(made, noted));
        } catch (fault) {
          queue.length = 0;
          throw new Error(`${JSON.stringify(one)}, order ${path.join('')}: ${(fault as Error).message}`);
        }
      };
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [nth, one] = next;
        const played = await work(one, (...words) => judged(one, ...words), nth);
        orders += played;
      }
      await close();
    };
    const ended = await Promise.allSettled(places.map(worker));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    expect(orders).to.be.at.least(all.length);
    console.log(`      ${all.length} groups of sessions, ${orders} orders`);
  }
});

/** Each transaction ends with a rollback. */
const undone =
  (make: Make): Make =>
  (stage, nth) => {
    const actor = make(stage, nth);
    return { ...actor, steps: actor.steps.map((step) => (step === 'commit' ? 'rollback' : step)) };
  };

/** All multisets of so many elements. */
function combinations<T>(all: readonly T[], many: number): T[][] {
  if (many === 0) return [[]];
  return all.flatMap((one, at) => combinations(all.slice(at), many - 1).map((others) => [one, ...others]));
}
