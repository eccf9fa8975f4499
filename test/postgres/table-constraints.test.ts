import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('contract: the data around it — what the tables refuse', () => {
  const tooGreat = '9007199254740992';
  const greatest = '9007199254740991';
  const hash = "decode(repeat('00', 32), 'hex')";
  const database = databaseOf('suite');
  before(async () => {
    await database.admin.query(`insert into campaign_mirror.campaigns (id, owner_id) values (7, 7), (8, 8)`);
    await database.admin.query(
      `insert into campaign_mirror.mirrors (campaign_id, target_url) values (7, 'x')`,
    );
  });

  for (const number of [tooGreat, '0', '-1']) {
    it(`the number ${number} as an identifier or an owner`, async () => {
      for (const statement of [
        `insert into campaign_mirror.campaigns (id, owner_id) values (${number}, 1)`,
        `insert into campaign_mirror.campaigns (owner_id) values (${number})`,
        `update campaign_mirror.campaigns set owner_id = ${number}`,
        `insert into campaign_mirror.mirrors (id, campaign_id, target_url) values (${number}, 8, 'x')`,
        `insert into campaign_mirror.access_keys (id, hash, displayed, name, owner_id) values (${number}, ${hash}, '', '', 1)`,
        `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (${hash}, '', '', ${number})`,
      ]) {
        expect(await refusal(statement), statement).to.equal('23514');
      }
    });
  }

  it('clicks below 0 and above 2^53-1, and not 2^53-1 itself', async () => {
    expect(await refusal('update campaign_mirror.mirrors set clicks = -1')).to.equal('23514');
    expect(await refusal(`update campaign_mirror.mirrors set clicks = ${tooGreat}`)).to.equal('23514');
    expect(await refusal(`update campaign_mirror.mirrors set clicks = ${greatest}`)).to.equal('none');
    expect(await refusal('update campaign_mirror.mirrors set clicks = clicks + 1')).to.equal('23514');
  });

  it('a second default campaign of an owner, by insertion, by flag and by transfer', async () => {
    await database.admin.query(
      'insert into campaign_mirror.campaigns (id, owner_id, is_default) values (9, 7, true)',
    );
    const insert = 'insert into campaign_mirror.campaigns (owner_id, is_default) values (7, true)';
    expect(await refusal(insert)).to.equal('23505');
    expect(await refusal('update campaign_mirror.campaigns set is_default = true where id = 7')).to.equal(
      '23505',
    );
    expect(await refusal('update campaign_mirror.campaigns set is_default = true where id = 8')).to.equal(
      'none',
    );
    expect(await refusal('update campaign_mirror.campaigns set owner_id = 7 where id = 8')).to.equal('23505');
  });

  it('a second mirror of a campaign, and one of no campaign', async () => {
    const mirror = (campaign: number) =>
      refusal(`insert into campaign_mirror.mirrors (campaign_id, target_url) values (${campaign}, 'x')`);
    expect(await mirror(7)).to.equal('23505');
    expect(await mirror(4711)).to.equal('23503');
  });

  it('history of a key without the key, of the operator with one, of another actor without a name or with a key', async () => {
    const row = (actor: string, key: string, subject = 'null') =>
      refusal(`
        insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, access_key_id, subject, owner_id,
          address_before, address_after, changed_at, request_id)
        values (7, 1, '${actor}', ${key}, ${subject}, 7, 'a', 'b', now(), 'r')`);
    expect(await row('key', 'null')).to.equal('23514');
    expect(await row('key', '1', "'1'")).to.equal('23514');
    expect(await row('operator', '1')).to.equal('23514');
    expect(await row('operator', 'null', "'somebody'")).to.equal('23514');
    expect(await row('jwt', 'null')).to.equal('23514');
    expect(await row('jwt', '1', "'client-4'")).to.equal('23514');
    expect(await row('jwt', 'null', "'client-4'")).to.equal('none');
    expect(await row('operator', 'null')).to.equal('none');
    expect(await row('key', '1')).to.equal('none');
  });

  async function refusal(statement: string): Promise<unknown> {
    const error = await rejection(database.admin.query(statement));
    return (error as { code?: string }).code ?? 'none';
  }
});
