import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import {
  addressBefore,
  answerFaults,
  type Contender,
  historyFaults,
  inTurn,
  type Measured,
  mustHaveAnswered,
  ratioOf,
  verdictOf,
} from '@campaign-mirror/bench';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database-server.ts';
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

  describe('judges beside the bar', () => {
    const many = (count: number, rate: number) => rates(...Array<number>(count).fill(rate));

    it('by the median, where one side of it is ahead by ten rounds', () => {
      const mixed = [...many(1, 12), ...many(10, 20), ...many(1, 900)];
      expect(verdictOf(mixed, many(12, 10), 1.3)).to.deep.equal({ ratio: 2, clear: true });
      expect(verdictOf(many(10, 12), many(10, 10), 1.3)).to.deep.equal({ ratio: 1.2, clear: true });
      expect(verdictOf(many(10, 13), many(10, 10), 1.3)).to.deep.equal({ ratio: 1.3, clear: true });
    });

    it('by the sum of all rounds, where none is', () => {
      const scattered = [...many(5, 70), ...many(6, 5)];
      expect(verdictOf(scattered, many(11, 10), 1.3)).to.deep.equal({ ratio: 380 / 110, clear: false });
      expect(verdictOf(many(9, 20), many(9, 10), 1.3)).to.deep.equal({ ratio: 2, clear: false });
    });

    it('without the rounds in which nobody was answered', () => {
      const [its, floors] = [
        [...many(9, 20), ...many(5, 0)],
        [...many(9, 10), ...many(5, 0)],
      ];
      expect(verdictOf(its, floors, 1.3)).to.deep.equal({ ratio: 2, clear: false });
      expect(verdictOf([...its, ...many(1, 20)], [...floors, ...many(1, 10)], 1.3).clear).to.equal(true);
    });
  });

  describe('fails for an answer that was not expected', () => {
    const answers = { requests: 100, seconds: 1, p50: 1, p99: 2, errors: {} };
    const faults = (answered: Record<string, number>, made: Record<string, number>, errors = {}) =>
      answerFaults({ ...answers, answered, made, errors }, 4);

    it('a status that nobody asked for', () => {
      expect(faults({ 200: 99, 503: 1 }, { 200: 100 })).to.deep.equal([
        '1 answers of 503, expected to 0 requests',
      ]);
    });

    it('one status in the place of another', () => {
      expect(faults({ 200: 70, 401: 30 }, { 200: 60, 401: 40 })).to.have.length(2);
    });

    it('an error of the connection', () => {
      expect(faults({ 200: 99 }, { 200: 100 }, { reset: 1 })).to.deep.equal(['reset, 1 times']);
    });

    it('not for what the end of the round has cut off, a request a connection', () => {
      expect(faults({ 200: 96 }, { 200: 100 })).to.deep.equal([]);
      expect(faults({ 200: 94 }, { 200: 100 })).to.have.length(1);
    });
  });

  describe('fails for a history that is not what was answered', () => {
    let database: TestDatabase;
    const query = (text: string) => database.admin.query(text);
    const checked = async (answered: number, asked = answered) => {
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
      database = await freshDatabase();
      await query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 1), (2, 2)');
      await query(`insert into campaign_mirror.mirrors (id, campaign_id, target_url)
        values (1, 1, '${addressBefore}'), (2, 2, '${addressBefore}')`);
      await query(change(addressBefore, 'b', 1));
      await query(change('b', 'c', 2));
      await query(`update campaign_mirror.mirrors set target_url = 'c', updated_externally = true,
        updated_at = 'epoch'::timestamptz + interval '2 s' where id = 1`);
    });
    afterEach(() => database.drop());

    it('not for a whole one, nor for an update that was carried out and whose answer was cut off', async () => {
      expect(await checked(2)).to.deep.equal([]);
      expect(await checked(1, 2)).to.deep.equal([]);
    });

    it('an answered update that is not in it', async () => {
      expect(await checked(3)).to.deep.equal(['3 answers of 200 to 3 requests, 2 rows of history']);
    });

    it('an update that nobody asked for', async () => {
      expect(await checked(1)).to.deep.equal(['1 answers of 200 to 1 requests, 2 rows of history']);
    });

    it('an address before that was not there', async () => {
      await query(change('b', 'c', 3));
      await query(
        "update campaign_mirror.mirrors set updated_at = 'epoch'::timestamptz + interval '3 s' where id = 1",
      );
      expect(await checked(3)).to.deep.equal(['1 rows of history do not follow on the one before']);
    });

    it('a mirror that is not what was recorded last', async () => {
      await query("update campaign_mirror.mirrors set target_url = 'd' where id = 1");
      expect(await checked(2)).to.deep.equal(['1 mirrors are not what their history says last']);
    });

    it('a mirror that was changed without a record', async () => {
      await query(
        "update campaign_mirror.mirrors set target_url = 'd', updated_externally = true where id = 2",
      );
      expect(await checked(2)).to.deep.equal(['1 mirrors were changed without history']);
    });
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
      .that.matches(/^--set has to name another setting than --base\n/);
  });
});
