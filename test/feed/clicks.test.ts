import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { lockMirror, rival } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { setAddress, transfer } from '../support/store/grouped.ts';
import { filling } from './writers.ts';

const most = 2 ** 53 - 1;
const campaigns = 200;

describe('count_clicks', () => {
  const database = databaseOf('test');
  beforeEach(() => database.admin.query(filling(campaigns)));

  const count = async (
    numbers: unknown,
    counts: unknown,
    by: Pick<typeof database.admin, 'query'> = database.admin,
  ) => {
    const text = 'select campaign_mirror.count_clicks($1, $2)::int as again';
    return (await by.query(text, [numbers, counts])).rows.map(({ again }) => again);
  };
  const stored = async (campaign = 1) => {
    const text = 'select clicks from campaign_mirror.mirrors where campaign_id = $1';
    return Number((await database.admin.query(text, [campaign])).rows[0].clicks);
  };

  it('counts exactly, and without a deadlock, beside other counts, updates, transfers and deletions', async () => {
    const given = new Map<number, number>();
    let ended = false;
    const others = [
      [setAddress, 'https://new.example/'],
      [transfer, 8],
      ['delete from campaign_mirror.campaigns where id = $1 and id > 150 and $2::text is null', null],
    ].map(async ([text, value]) => {
      const client = await connect(database.address('owner'));
      for (let round = 0; !ended; round++)
        await client.query(String(text), [1 + ((round * 7) % campaigns), value]);
      await client.end();
    });
    const counting = Array.from({ length: 8 }, async (_, number) => {
      const client = await connect(database.address('redirector'));
      const left = new Map<number, number>();
      for (let round = 0; round < 40 || left.size > 0; round++) {
        for (let nth = 0; round < 40 && nth < 100; nth++) {
          const campaign = 1 + ((nth * (2 * number + 1) + round * 7) % campaigns);
          const clicks = 1 + (nth % 3);
          for (const sums of [left, given]) sums.set(campaign, (sums.get(campaign) ?? 0) + clicks);
        }
        const all = number % 2 ? [...left].reverse() : [...left];
        const [numbers, counts] = [all.map(([campaign]) => campaign), all.map(([, clicks]) => clicks)];
        const again = await count(numbers, counts, client as never);
        for (const campaign of numbers) if (!again.includes(campaign)) left.delete(campaign);
      }
      await client.end();
    });
    await Promise.all(counting);
    ended = true;
    await Promise.all(others);
    const { rows } = await database.admin.query(
      'select campaign_id::int as campaign, clicks::int as clicks from campaign_mirror.mirrors order by 1',
    );
    expect(rows).to.have.length.at.least(150);
    expect(rows).to.deep.equal(rows.map(({ campaign }) => ({ campaign, clicks: given.get(campaign) })));
  });

  it('adds up a campaign that is given twice, returns locked campaigns, and ignores unknown ones', async () => {
    expect(await count([1, 2, 1, 4711], [1, 2, 3, 9])).to.deep.equal([]);
    expect([await stored(1), await stored(2)]).to.deep.equal([4, 2]);
    const holder = await rival(database, lockMirror.replace('for update', 'for no key update'), 2);
    expect(await count([2, 1, 2], [1, 1, 1])).to.deep.equal([2]);
    await holder.rollback();
    expect([await stored(1), await stored(2)]).to.deep.equal([5, 2]);
  });

  it('is not held up by a full counter or a mirror that is being deleted', async () => {
    await database.admin.query(
      `update campaign_mirror.mirrors set clicks = ${most - 1} where campaign_id = 3`,
    );
    const deleting = await rival(database, 'delete from campaign_mirror.campaigns where id = 4');
    expect(await count([1, 3, 4], [1, 9, 1])).to.deep.equal([4]);
    await deleting.commit();
    expect(await count([1, 3, 3, 4], [1, most, most, 1])).to.deep.equal([]);
    expect([await stored(1), await stored(3)]).to.deep.equal([2, most]);
  });

  it('refuses all but two arrays of one length, of at most 1,000 campaigns and counts from 1', async () => {
    const many = Array.from({ length: 1001 }, () => 1);
    const wrong =
      '{1} {0}; {1,1} {1,0}; {1} {NULL}; {NULL} {1}; {1,2} {1}; {{1,2}} {1,2}; {{1},{2}} {{1},{2}}';
    const pairs = wrong.split('; ').map((text) => text.split(' '));
    for (const [numbers, counts] of [...pairs, [null, '{1}'], ['{1}', null], [many, many]]) {
      const fault = await rejection(count(numbers, counts));
      expect(fault, JSON.stringify([numbers, counts])).to.include({ code: '22023' });
      expect(fault)
        .to.have.property('message')
        .that.matches(/^campaigns and counts must be two arrays/);
    }
    expect(await stored(1)).to.equal(0);
    expect(await count(many.slice(1), many.slice(1))).to.deep.equal([]);
    expect(await stored(1)).to.equal(1000);
  });
});
