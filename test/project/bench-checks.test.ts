import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import {
  addressBefore,
  answerFaults,
  type Contender,
  historyFaults,
  inTurn,
  type Measured,
  mannWhitney,
  mustHaveAnswered,
  ratioOf,
  verdictOf,
} from '@campaign-mirror/bench';
import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';
import { projectFolder } from '../support/workspace.ts';

describe('the benchmark', () => {
  const rates = (...all: number[]) => all.map((rate) => ({ rate }));

  it('sets each round beside its neighbour: median, least, greatest, and the quartiles', () => {
    expect(ratioOf(rates(20, 10, 40, 30), rates(10, 10, 10, 10))).to.deep.equal({
      median: 2.5,
      least: 1,
      greatest: 4,
      quartiles: [1.75, 3.25],
    });
    expect(ratioOf(rates(4, 3, 10, 1, 2), rates(2, 1, 2, 1, 1))).to.deep.equal({
      median: 2,
      least: 1,
      greatest: 5,
      quartiles: [2, 3],
    });
  });

  it('leaves out the rounds in which nobody was answered, not those in which one was', () => {
    expect(ratioOf(rates(0, 4, 0, 6), rates(0, 2, 2, 0))).to.deep.equal({
      median: 2,
      least: 0,
      greatest: Number.POSITIVE_INFINITY,
      quartiles: [1, Number.POSITIVE_INFINITY],
    });
  });

  it('compares two samples by their ranks, ties included', () => {
    // By scipy.stats.mannwhitneyu, method="asymptotic", use_continuity=False.
    const few = mannWhitney([1.1, 2.2, 3.3, 4.4, 5.5, 2.2], [2.2, 3.3, 6.6, 7.7, 8.8]);
    expect(few.superiority).to.be.closeTo(6.5 / 30, 1e-12);
    expect(few.p).to.be.closeTo(0.1164565298413952, 1e-9);
    const many = Array.from({ length: 50 }, (_, at) => at);
    const apart = mannWhitney(
      many.map((one) => one + 25),
      many,
    );
    expect(apart.superiority).to.be.closeTo(0.875, 1e-9);
    expect(apart.p / 1.0234848041695773e-10).to.be.closeTo(1, 1e-6);
    expect(mannWhitney(many, many)).to.deep.equal({ superiority: 0.5, p: 1 });
  });

  const many = (count: number, rate: number) => rates(...Array<number>(count).fill(rate));
  const [its, floors] = [
    [...many(9, 20), ...many(5, 0)],
    [...many(9, 10), ...many(5, 0)],
  ];
  for (const [how, ours, floor, ratio, clear] of [
    ['by the median', [...many(1, 12), ...many(10, 20), ...many(1, 900)], many(12, 10), 2, true],
    ['below the bar', many(10, 12), many(10, 10), 1.2, true],
    ['at the bar', many(10, 13), many(10, 10), 1.3, true],
    ['by the sum, where no side is ahead', [...many(5, 70), ...many(6, 5)], many(11, 10), 380 / 110, false],
    ['by nine rounds, which are too few', many(9, 20), many(9, 10), 2, false],
    ['without those that answered nobody', its, floors, 2, false],
    ['of which ten are left', [...its, ...many(1, 20)], [...floors, ...many(1, 10)], 2, true],
  ] as const) {
    it(`judges beside the bar: ${how}`, () => {
      expect(verdictOf(ours, floor, 1.3)).to.deep.equal({ ratio, clear });
    });
  }

  const none: readonly string[] = [];
  for (const [what, answered, made, errors, faults] of [
    [
      'a status that nobody asked for',
      { 200: 99, 503: 1 },
      { 200: 100 },
      {},
      ['1 answers of 503, expected to 0 requests'],
    ],
    ['an error of the connection', { 200: 99 }, { 200: 100 }, { reset: 1 }, ['reset, 1 times']],
    [
      'nothing that the end of the round has cut off, a request a connection',
      { 200: 96 },
      { 200: 100 },
      {},
      none,
    ],
    ['more than that', { 200: 94 }, { 200: 100 }, {}, 1],
    ['one status in the place of another', { 200: 70, 401: 30 }, { 200: 60, 401: 40 }, {}, 2],
  ] as const) {
    it(`fails for an answer that was not expected: ${what}`, () => {
      const found = answerFaults({ requests: 100, seconds: 1, p50: 1, p99: 2, answered, made, errors }, 4);
      if (typeof faults === 'number') expect(found).to.have.length(faults);
      else expect(found).to.deep.equal(faults);
    });
  }

  describe('fails for a history that is not what was answered', () => {
    const database = databaseOf('test');
    const query = (text: string) => database.admin.query(text);
    const checked = async (answered: number, asked: number) => {
      const asBench = {
        url: '',
        address: { host: '', port: 0, user: '', password: '', database: '' },
        query: async (text: string, values?: unknown[]) => (await database.admin.query(text, values)).rows,
        session: () => Promise.reject(new Error('not asked for')),
      };
      return historyFaults(asBench, { answered, asked });
    };
    const change = (before: string, after: string, second: number) => `
      insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, access_key_id, owner_id, address_before,
        address_after, changed_at, request_id)
      values (1, 1, 'key', 1, 1, '${before}', '${after}', 'epoch'::timestamptz + interval '${second} s', 'r')`;

    beforeEach(async () => {
      await query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 1), (2, 2)');
      await query(`insert into campaign_mirror.mirrors (id, campaign_id, target_url)
        values (1, 1, '${addressBefore}'), (2, 2, '${addressBefore}')`);
      await query(change(addressBefore, 'b', 1));
      await query(change('b', 'c', 2));
      await query(`update campaign_mirror.mirrors set target_url = 'c', updated_externally = true,
        updated_at = 'epoch'::timestamptz + interval '2 s' where id = 1`);
    });

    const secondLater = "updated_at = 'epoch'::timestamptz + interval '3 s'";
    const update = (what: string, id: number) =>
      `update campaign_mirror.mirrors set ${what} where id = ${id}`;
    for (const [what, changed, answered, asked, ...fault] of [
      ['not for a whole one', '', 2, 2],
      ['nor for an update that was carried out and whose answer was cut off', '', 1, 2],
      ['an answered update is not in it', '', 3, 3, '3 answers of 200 to 3 requests, 2 rows of history'],
      ['an update that nobody asked for', '', 1, 1, '1 answers of 200 to 1 requests, 2 rows of history'],
      [
        'an address before that was not there',
        `${change('b', 'c', 3)}; ${update(secondLater, 1)}`,
        ...[3, 3, '1 rows of history do not follow on the one before'],
      ],
      [
        'a mirror that is not what was recorded last',
        update("target_url = 'd'", 1),
        ...[2, 2, '1 mirrors are not what their history says last'],
      ],
      [
        'a mirror that was changed without a record',
        update("target_url = 'd', updated_externally = true", 2),
        ...[2, 2, '1 mirrors were changed without history'],
      ],
    ] as [string, string, number, number, string?][]) {
      it(what, async () => {
        await query(changed);
        expect(await checked(answered, asked)).to.deep.equal(fault);
      });
    }
  });

  it('measures in turn, to and fro, so that nobody always follows the same', () => {
    expect([1, 2, 3].map((round) => inTurn(['floor', 'peer', 'ours'], round).join(' '))).to.deep.equal([
      'floor peer ours',
      'ours peer floor',
      'floor peer ours',
    ]);
  });

  it('fails where nobody was answered in any round, not for single ones of them', () => {
    const contender = { name: 'ours' } as Contender;
    const rounds = (...all: number[]) => all.map((updates) => ({ updates }) as Measured);
    expect(() => mustHaveAnswered(contender, rounds(0, 0))).to.throw('ours answered nobody at all');
    expect(() => mustHaveAnswered(contender, rounds(0, 1))).not.to.throw();
  });

  it('says how each measurement is used, and what it does not understand', async () => {
    const { scripts } = JSON.parse(await readFile(`${projectFolder}package.json`, 'utf8'));
    const names = Object.keys(scripts).filter((name) => /^bench\b/.test(name));
    expect(names).to.include.members(['bench', 'bench:guard', 'bench:commands']);
    const told = (name: string, ...words: string[]) =>
      new Promise<object>((resolve) => {
        const [, file = ''] = /^node (\S+)$/.exec(scripts[name]) ?? [];
        execFile(process.execPath, [`${projectFolder}${file}`, ...words], (error, output, errors) =>
          resolve({ code: error?.code ?? 0, output, errors }),
        );
      });
    for (const name of names) {
      const unknown = await told(name, '--nonsense');
      expect(unknown, name).to.deep.include({ code: 2, output: '' });
      expect(unknown, name)
        .to.have.property('errors')
        .that.matches(
          new RegExp(`^error: unknown option '--nonsense'\n\nUsage: npm run ${name} -- \\[options\\]\n`),
        );
    }
    const help = await told('bench:commands', '--help');
    expect(help).to.deep.include({ code: 0, errors: '' });
    expect(help)
      .to.have.property('output')
      .that.matches(/^Usage: npm run bench:commands -- /);
    expect(await told('bench', '--rounds', '0'))
      .to.have.property('errors')
      .that.matches(/^error: option '--rounds <N>' .+ It takes whole numbers from 1 to 100\.\n/);
    expect(await told('bench:compare', '--set', 'A=b', '--base', 'A=b'))
      .to.have.property('errors')
      .that.matches(/^--set has to name another setting than --base, or --before another checkout\n/);
  });
});
