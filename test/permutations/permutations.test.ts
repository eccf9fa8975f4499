import { expect } from 'chai';
import { Random } from '../history/workload/known.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { seed } from '../support/seed.ts';
import * as acts from './acts.ts';
import { judge } from './judge.ts';
import { type Choose, connections, everyOrder, waitingOn } from './sessions.ts';
import { first, prepared, type Stage, stagesIn } from './stage.ts';
import * as updates from './updates.ts';

/**
 * `all`: every order of three sessions, too, and `begin` as a step of its own, which takes minutes. Otherwise some orders
 * of three; `few`: no rollback.
 */
const { PERMUTATIONS = 'some' } = process.env;
const isWhole = PERMUTATIONS === 'all';
const isFew = PERMUTATIONS === 'few';
const ofEachThree = 2;
/** Each has a database of its own, which it mostly waits for, and up to ten connections. */
const workers = isWhole ? 8 : 4;

type Make = acts.Make;
type Step = acts.Actor['steps'][number];

/** Each transaction with its beginning and its end; `begin` of their own does not count as a step of three sessions. */
const committed = (...all: Step[]): Step[] => ['begin', ...all, 'commit'];

const byService =
  (how: 'waits' | 'passes' | 'batch', only?: 'unchanged'): Make =>
  (stage, nth) => ({
    role: 'service',
    steps: committed(updates.update(stage, nth, how, only)),
  });
const byOperator =
  (make: (stage: Stage, nth: number) => Step[]): Make =>
  (stage, nth) => ({
    role: 'operator',
    steps: make(stage, nth),
  });

/** In one transaction, and in one after the other. */
const thereAndBack = (there: string, back: string, make: (stage: Stage) => acts.Act[]) => ({
  [`${there} and ${back}`]: byOperator((stage) => committed(...make(stage))),
  [`${there}, then ${back}`]: byOperator((stage) => make(stage).flatMap((act) => committed(act))),
});

const actors: Record<string, Make> = {
  'an update that waits': byService('waits'),
  'an update': byService('passes'),
  'an update in a batch': byService('batch'),
  'an update that waits, if it is unchanged': byService('waits', 'unchanged'),
  'an update in a batch, if it is unchanged': byService('batch', 'unchanged'),
  'the operator sets it': byOperator((stage, nth) => committed(updates.operatorSets(stage, nth))),
  'the operator moves it': byOperator((stage, nth) => committed(updates.operatorSets(stage, nth, first))),
  ...thereAndBack('transfer', 'back', (stage) => [
    acts.transfer(stage, stage.otherOwner),
    acts.transfer(stage, stage.owner),
  ]),
  ...thereAndBack('default', 'back', (stage) => [acts.flag(stage, true), acts.flag(stage, false)]),
  ...thereAndBack('deletion', 'creation', (stage) => [acts.deletion(stage), acts.creation(stage)]),
  revocation: byOperator((stage) => committed(acts.revocation(stage, 'revoked_at'))),
  expiry: byOperator((stage) => committed(acts.revocation(stage, 'expires_at'))),
  click: (stage, nth) => ({ role: 'redirector', steps: committed(acts.click(stage, nth)) }),
  prune: byOperator(() => committed(acts.prune())),
  reader: (stage) => acts.reader(stage),
};

/** Whose steps are `begin`, one statement and `commit`. */
const isShort = (name: string) => !/back|deletion|reader/.test(name);

interface Place {
  readonly database: TestDatabase;
  readonly stages: ReturnType<typeof stagesIn>;
}

/** Those that differ from another in few words of one statement: in threes, some of their orders are enough. */
const isVariant = (name: string) => /in a batch|if it is|moves|expiry/.test(name);

describe('permutations of steps', function () {
  this.timeout(3_600_000);
  let places: Place[];
  before(async () => {
    const databases = await Promise.all(Array.from({ length: workers }, freshDatabase));
    for (const database of databases) await prepared(database);
    places = databases.map((database) => ({ database, stages: stagesIn(database) }));
  });
  after(async () => {
    for (const { database } of places) await database.drop();
  });

  it('two sessions, in every order, each also rolled back: as one after the other', async () => {
    const pairs = combinations(Object.keys(actors), 2).flatMap((names) =>
      (isFew ? [''] : ['', 'first', 'second', 'both']).map((rolledBack) => ({ names, rolledBack })),
    );
    const orders = await onEach(pairs, ({ names, rolledBack }, play) => {
      const isApart = isWhole || (rolledBack === '' && names.every((name) => isShort(name)));
      const makes = names.map((name, nth) => {
        const make = isApart ? (actors[name] as Make) : atOnce(actors[name] as Make);
        return ['both', ['first', 'second'][nth]].includes(rolledBack) ? takenBack(make) : make;
      });
      return everyOrder((choose) => play(makes, choose));
    });
    console.log(`      ${pairs.length} pairs of sessions, ${orders} orders`);
  });

  it(`three sessions, in ${isWhole ? 'every order' : `some orders (SEED=${seed})`}: as one after the other`, async () => {
    const threes = combinations(Object.keys(actors), 3);
    const apart = isWhole ? await apartIn(places[0] as Place) : undefined;
    let whole = 0;
    const orders = await onEach(threes, async (names, play, nth) => {
      const makes = names.map((name) => atOnce(actors[name] as Make));
      if (apart && !names.some(isVariant)) {
        whole += 1;
        return everyOrder((choose) => play(makes, choose), {
          twins: (one, other) => names[one] === names[other],
          apart: (one, other) => apart(names[one], names[other]),
        });
      }
      const random = new Random(seed + nth);
      for (let order = 0; order < ofEachThree; order++)
        await play(makes, (options) => random.one(options) as number);
      return ofEachThree;
    });
    console.log(`      ${threes.length} threes of sessions, ${whole} in every order: ${orders} orders`);
  });

  it('a key that is revoked while an update waits for a row, in every order: nothing is changed', async () => {
    const names = ['the operator sets it', 'an update that waits'];
    const threes = ['revocation', 'expiry'].map((end) => [...names, end]);
    await onEach(threes, (three, play) => {
      const makes = three.map((name) => atOnce(actors[name] as Make));
      return everyOrder((choose) => play(makes, choose));
    });
  });

  /** Shares the work among the workers. Returns the sum of what it returned. */
  async function onEach<T>(
    all: readonly T[],
    work: (
      one: T,
      play: (makes: readonly Make[], choose: Choose) => Promise<void>,
      nth: number,
    ) => Promise<number>,
  ): Promise<number> {
    let taken = 0;
    let sum = 0;
    const whoWaits = waitingOn((places[0] as Place).database);
    const worker = async ({ database, stages }: Place) => {
      const { play, close } = connections(database, whoWaits);
      try {
        while (taken < all.length) {
          const nth = taken++;
          const one = all[nth] as T;
          const playOne = async (makes: readonly Make[], choose: Choose) => {
            const { stage, state, made } = await stages.next(makes);
            const path: number[] = [];
            const noting: Choose = (...given) => {
              path.push(choose(...given));
              return path.at(-1) as number;
            };
            try {
              await judge(database.admin, stage, state, await play(made, noting));
            } catch (fault) {
              throw new Error(`${JSON.stringify(one)}, order ${path.join('')}: ${(fault as Error).message}`);
            }
          };
          const orders = await work(one, playOne, nth);
          sum += orders;
        }
      } catch (fault) {
        taken = all.length;
        throw fault;
      } finally {
        await close();
      }
    };
    const ended = await Promise.allSettled(places.map(worker));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    expect(sum).to.be.at.least(all.length);
    return sum;
  }
});

/** What a transaction has done to the tables so far, as PostgreSQL counts it. A row is changed by who has read it. */
const touchedText = `select relname::text as table, n_tup_ins + n_tup_upd + n_tup_del > 0 as writes,
    coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0 as reads
  from pg_stat_xact_user_tables where schemaname = 'campaign_mirror' and relname <> 'operator_audit'`;

/**
 * Lets each actor act alone, to see what each act touches. Actors are apart if none of them writes a table that the other
 * reads: their steps lead to the same in either order. (Acts of one name are taken together, since one that finds nothing to
 * do touches less.)
 */
async function apartIn({ database, stages }: Place): Promise<(one?: string, other?: string) => boolean> {
  const touched: { act: string; table: string; writes: boolean; reads: boolean }[] = [];
  const actsOf = new Map<string | undefined, Set<string>>();
  for (const [name, make] of Object.entries(actors)) {
    const { made } = await stages.next([make]);
    const [actor] = made as [acts.Actor];
    actsOf.set(name, new Set());
    const steps = actor.steps.map((step): Step => {
      if (typeof step === 'string') return step;
      actsOf.get(name)?.add(step.name);
      const run: acts.Act['run'] = async (client) => {
        if (step.alone) await client.query('begin');
        const seen = await step.run(client);
        const { rows } = await client.query(touchedText);
        touched.push(...rows.map((row) => ({ ...row, act: step.name })));
        if (step.alone) await client.query('commit');
        return seen;
      };
      return { ...step, run };
    });
    // Of its own, since the counts contain what a session did shortly before.
    const { play, close } = connections(database);
    await play([{ ...actor, steps }], () => 0).finally(close);
  }
  expect(new Set(touched.map(({ act }) => act))).to.have.all.keys(
    ...[...actsOf.values()].flatMap((names) => [...names]),
  );
  const of = (name?: string) => touched.filter(({ act }) => actsOf.get(name)?.has(act));
  const collide = (one: (typeof touched)[number], other: typeof one) =>
    one.table === other.table && ((one.writes && other.reads) || (one.reads && other.writes));
  return (one, other) => !of(one).some((first) => of(other).some((second) => collide(first, second)));
}

/** Each transaction ends with a rollback. */
const takenBack =
  (make: Make): Make =>
  (stage, nth) => {
    const actor = make(stage, nth);
    return { ...actor, steps: actor.steps.map((step) => (step === 'commit' ? 'rollback' : step)) };
  };

/** `begin` with the statement that follows it. */
const atOnce =
  (make: Make): Make =>
  (stage, nth) => {
    const actor = make(stage, nth);
    const steps = actor.steps.flatMap((step, at): Step[] => {
      if (step === 'begin') return [];
      if (typeof step === 'string' || actor.steps[at - 1] !== 'begin') return [step];
      return [
        {
          ...step,
          run: async (client) => (await Promise.all([client.query('begin'), step.run(client)]))[1],
        },
      ];
    });
    return { ...actor, steps };
  };

/** So many of them, each as often as it likes, whatever their order. */
function combinations<T>(all: readonly T[], many: number): T[][] {
  if (many === 0) return [[]];
  return all.flatMap((one, at) => combinations(all.slice(at), many - 1).map((others) => [one, ...others]));
}
