import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { lockMirror, rival } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { filling } from './writers.ts';

const most = 2 ** 53 - 1;

describe('count_clicks', () => {
  const database = databaseOf('test');
  const campaigns = Array.from({ length: 200 }, (_, at) => at + 1);
  beforeEach(() => database.admin.query(filling(campaigns.length)));

  const count = async (asked: unknown, counts: unknown, by = database.admin) =>
    (await by.query('select campaign_mirror.count_clicks($1, $2) as again', [asked, counts])).rows.map(
      ({ again }) => Number(again),
    );
  const stored = async (campaign = 1) => {
    const text = 'select clicks from campaign_mirror.mirrors where campaign_id = $1';
    return Number((await database.admin.query(text, [campaign])).rows[0].clicks);
  };

  it('eight at once, any campaigns in any order, beside updates, a transfer and a deletion: no deadlock, and the sum is exact', async () => {
    const given = new Map<number, number>();
    const redirectors = await Promise.all(
      Array.from({ length: 8 }, () => connect(database.address('redirector'))),
    );
    let ended = false;
    const owner = connect(database.address('owner'));
    const others = ['update', 'transfer', 'delete'].map(async (kind) => {
      const client = await connect(database.address('operator'));
      for (let round = 0; !ended; round++) {
        const campaign = 1 + (round % 100);
        if (kind === 'update')
          await (await owner).query(
            `select campaign_mirror.set_mirrors(array_agg(n::bigint), '{}', '{}', array_agg('https://new.example/'::text), '{}',
              '{}', array_agg('jwt'::text), array_agg('me'::text), array_agg('r'::text), '{}', false)
            from generate_series($1::int, $1::int + 50) as n`,
            [campaign],
          );
        else if (kind === 'transfer')
          await client.query('update campaign_mirror.campaigns set owner_id = owner_id + 1 where id = $1', [
            campaign,
          ]);
        else await client.query('delete from campaign_mirror.campaigns where id = $1', [200 - (round % 50)]);
      }
      await client.end();
    });
    const counting = redirectors.map(async (client, number) => {
      const left = new Map<number, number>();
      for (let round = 0; round < 40 || left.size > 0; round++) {
        if (round < 40)
          for (let at = 0; at < 100; at++) {
            const campaign = 1 + ((at * (2 * number + 1) + round * 7) % 200);
            const n = 1 + (at % 3);
            left.set(campaign, (left.get(campaign) ?? 0) + n);
            given.set(campaign, (given.get(campaign) ?? 0) + n);
          }
        const asked = number % 2 ? [...left].reverse() : [...left];
        const again = new Set(
          await count(
            asked.map(([campaign]) => campaign),
            asked.map(([, n]) => n),
            client as never,
          ),
        );
        for (const [campaign] of asked) if (!again.has(campaign)) left.delete(campaign);
      }
    });
    await Promise.all(counting);
    ended = true;
    await Promise.all(others);
    for (const client of [...redirectors, await owner]) await client.end();
    const { rows } = await database.admin.query(
      'select campaign_id::int as campaign, clicks::int as clicks from campaign_mirror.mirrors order by 1',
    );
    expect(rows).to.have.length.at.least(150);
    expect(rows).to.deep.equal(rows.map(({ campaign }) => ({ campaign, clicks: given.get(campaign) })));
  });

  it('the sum of a campaign that is given twice; what is locked is given back, a campaign without a mirror is not', async () => {
    expect(await count([1, 2, 1, 4711], [1, 2, 3, 9])).to.deep.equal([]);
    expect([await stored(1), await stored(2)]).to.deep.equal([4, 2]);
    const holder = await rival(database, lockMirror.replace('for update', 'for no key update'), 2);
    expect(await count([2, 1, 2], [1, 1, 1])).to.deep.equal([2]);
    await holder.rollback();
    expect([await stored(1), await stored(2)]).to.deep.equal([5, 2]);
    expect(await count([], [])).to.deep.equal([]);
  });

  it('no mirror is locked but those that are counted', async () => {
    const counting = await rival(database, "select campaign_mirror.count_clicks('{1}', '{1}')");
    await database.admin.query(`${lockMirror} nowait`, [2]);
    await counting.rollback();
  });

  it('a full counter, a mirror that is deleted meanwhile and odd old rows hold nothing up', async () => {
    await database.admin.query(`
      set session_replication_role = replica;
      update campaign_mirror.mirrors set target_url = 'no address', updated_at = 'infinity', created_at = '-infinity',
        owner_id = -5 where campaign_id = 2;
      update campaign_mirror.mirrors set clicks = ${most - 1} where campaign_id = 3;
      reset session_replication_role`);
    const deleting = await rival(database, 'delete from campaign_mirror.campaigns where id = 4');
    expect(await count([1, 2, 3, 4], [1, 1, 9, 1])).to.deep.equal([4]);
    await deleting.commit();
    expect(await count([1, 3, 3, 3, 4], [1, most, most, most, 1])).to.deep.equal([]);
    expect([await stored(1), await stored(2), await stored(3)]).to.deep.equal([2, 1, most]);
  });

  it('anything but two arrays of one length, of at most 1,000 campaigns and whole counts from 1, is refused, and counts nothing', async () => {
    const many = Array.from({ length: 1001 }, () => 1);
    const wrong = [
      '{1} {0}; {1} {-1}; {1,1} {1,0}; {1} {NULL}; {NULL} {1}; {1,2} {1}; {1} {1,2}; {} {1}',
      '{{1,2}} {1,2}; {1,2} {{1,2}}; {{1},{2}} {{1},{2}}',
    ].flatMap((texts) => texts.split('; ').map((text) => text.split(' ')));
    const none = [null, '{1}', '{}'];
    const without = none.flatMap((one) => (one === null ? none : [null]).map((other) => [one, other]));
    for (const [asked, counts] of [...wrong, ...without, [many, many]]) {
      const fault = await rejection(count(asked, counts));
      expect(fault, JSON.stringify([asked, counts])).to.include({ code: '22023' });
      expect(fault)
        .to.have.property('message')
        .that.matches(/^campaigns and counts must be two arrays/);
    }
    expect(await stored(1)).to.equal(0);
    expect(await count(many.slice(1), many.slice(1))).to.deep.equal([]);
    expect(await stored(1)).to.equal(1000);
  });
});
