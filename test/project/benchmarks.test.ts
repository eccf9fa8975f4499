import { addressBefore, answerFaults, historyFaults, mannWhitney, verdictOf } from '@campaign-mirror/bench';
import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';

describe('a benchmark', () => {
  it('compares two samples by their ranks, ties included', () => {
    // By scipy.stats.mannwhitneyu, method="asymptotic", use_continuity=False.
    const { superiority, p } = mannWhitney([1.1, 2.2, 3.3, 4.4, 5.5, 2.2], [2.2, 3.3, 6.6, 7.7, 8.8]);
    expect(superiority).to.be.closeTo(6.5 / 30, 1e-12);
    expect(p).to.be.closeTo(0.1164565298413952, 1e-9);
  });

  it('judges beside its neighbour by ten rounds in which somebody was answered, no fewer', () => {
    const rounds = (count: number, rate: number) =>
      [...Array<number>(count).fill(rate), 0].map((one) => ({ rate: one }));
    expect(verdictOf(rounds(11, 20), rounds(11, 10), 1.3)).to.deep.equal({ ratio: 2, clear: true });
    expect(verdictOf(rounds(9, 20), rounds(9, 10), 1.3)).to.deep.equal({ ratio: 2, clear: false });
  });

  it('fails for an answer that was not expected, not for those that the end of a round cut off', () => {
    const faults = (answered: Record<number, number>, errors: Record<string, number> = {}) =>
      answerFaults({ requests: 100, seconds: 1, p50: 1, p99: 2, answered, made: { 200: 100 }, errors }, 4);
    expect(faults({ 200: 96 })).to.deep.equal([]);
    expect(faults({ 200: 94 })).to.have.length(1);
    expect(faults({ 200: 99, 503: 1 })).to.deep.equal(['1 answers of 503, expected to 0 requests']);
    expect(faults({ 200: 99 }, { reset: 1 })).to.deep.equal(['reset, 1 times']);
  });

  const database = databaseOf('test');

  it('fails for a history that is not what was answered, by counts, addresses in turn and mirrors', async () => {
    const query = async (text: string, values?: unknown[]) => (await database.admin.query(text, values)).rows;
    const address = { host: '', port: 0, user: '', password: '', database: '' };
    const session = () => Promise.reject(new Error('not asked for'));
    const faults = (answered: number, asked: number) =>
      historyFaults({ url: '', address, query, session }, { answered, asked });
    const record = (before: string, after: string, second: number) =>
      query(`insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, access_key_id, owner_id,
        address_before, address_after, changed_at, request_id)
        values (1, 1, 'key', 1, 1, '${before}', '${after}', 'epoch'::timestamptz + interval '${second} s', 'r')`);
    const update = (id: number, to: string, second: number) =>
      query(`update campaign_mirror.mirrors set updated_externally = true, target_url = '${to}',
        updated_at = 'epoch'::timestamptz + interval '${second} s' where id = ${id}`);
    await query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 1), (2, 2)');
    await query(`insert into campaign_mirror.mirrors (id, campaign_id, target_url)
      values (1, 1, '${addressBefore}'), (2, 2, '${addressBefore}')`);
    await record(addressBefore, 'b', 1);
    await record('b', 'c', 2);
    await update(1, 'c', 2);
    expect(await faults(2, 2)).to.deep.equal([]);
    expect(await faults(1, 2)).to.deep.equal([]);
    expect(await faults(3, 3)).to.deep.equal(['3 answers of 200 to 3 requests, 2 rows of history']);
    expect(await faults(1, 1)).to.deep.equal(['1 answers of 200 to 1 requests, 2 rows of history']);
    await record('b', 'c', 3);
    await update(1, 'd', 3);
    await update(2, 'd', 3);
    expect(await faults(3, 3)).to.deep.equal([
      '1 rows of history do not follow on the one before',
      '1 mirrors are not what their history says last',
      '1 mirrors were changed without history',
    ]);
  });
});
