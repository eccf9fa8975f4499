import {
  demonstrationCampaign,
  demonstrationOwners,
  expiringKeys,
  recentMoves,
} from '@campaign-mirror/adapters-persistence/sql';
import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';

describe('what the service shows on its pages', () => {
  const database = databaseOf('test');

  it('keys that expire within 30 days, the next one first, at most 20; how many there are, and how many within 14 days', async () => {
    const key = (name: string, days: number, more = 'null, null') =>
      `(sha256('${name}'), '', '${name}', 7, now() + interval '${days * 24} hours', ${more})`;
    const left = [
      key('has ended', -1),
      key('ends later', 30.5),
      key('revoked', 3, 'now(), null'),
      key('replaced', 3, 'null, 9'),
    ];
    const ends = [29.5, 14.5, 13.5, ...Array.from({ length: 20 }, () => 2), 1];
    const listed = ends.map((days, at) => key(`${days} ${at}`, days));
    await database.admin.query(`insert into campaign_mirror.access_keys
      (hash, displayed, name, owner_id, expires_at, revoked_at, replaced_by) values ${[...left, ...listed]}`);
    const found = await expiringKeys(database.admin);
    expect(found[0]).to.include({ owner: 7, hosts: null, all: 24, soon: 22 });
    const those = ends.flatMap((days, at) => (days === 2 ? `2 ${at}` : []));
    expect(found.map(({ name }) => name)).to.deep.equal(['1 23', ...those.slice(0, 19)]);
  });

  it('the last ten moves, the newest first, each with the mirrors of all its parts', async () => {
    await database.admin.query(`
      insert into campaign_mirror.operator_audit (act, operator, request_id, part_of, details)
      select act, 'o', 'r', part, '{"from":"a.example","mirrors":2}' from generate_series(1, 12) as n,
        lateral (values (3 * n - 2, 'mirrors-moved', null), (3 * n - 1, 'mirrors-moved', 3 * n - 2), (3 * n, 'mirror-set', null))
          as entries (id, act, part) order by entries.id`);
    const single = `insert into campaign_mirror.operator_audit (act, operator, request_id, details) values
      ('mirrors-moved', 'o', 'r', '{"mirrors":5,"undoes":34}')`;
    await database.admin.query(single);
    const found = (await recentMoves(database.admin)).map(({ id, mirrors, undoes }) => [id, mirrors, undoes]);
    const parted = [34, 31, 28, 25, 22, 19, 16, 13, 10].map((id) => [id, 4, null]);
    expect(found).to.deep.equal([[37, 5, 34], ...parted]);
  });

  it('the campaign of the demonstration set that has a mirror', async () => {
    const [owner, stranger] = demonstrationOwners;
    const campaigns = async (...all: [id: number, owner: number, hasMirror: boolean, isDefault?: true][]) => {
      for (const [id, of, hasMirror, isDefault = false] of all) {
        await database.admin.query('insert into campaign_mirror.campaigns values ($1, $2, $3)', [
          id,
          of,
          isDefault,
        ]);
        const mirror = 'insert into campaign_mirror.mirrors (campaign_id, target_url) values ($1, $2)';
        if (hasMirror) await database.admin.query(mirror, [id, 'https://a.example/']);
      }
    };
    await campaigns([45, stranger, true], [50, stranger, true, true], [88, owner, true]);
    await campaigns([92, owner, false], [95, stranger, true], [99, owner, false], [100, owner, true, true]);
    expect(await demonstrationCampaign(database.admin)).to.equal(undefined);
    await campaigns([90, owner, true]);
    expect(await demonstrationCampaign(database.admin)).to.equal(90);
    await database.admin.query('delete from campaign_mirror.campaigns where id = 90');
    await campaigns([98, stranger, false]);
    await database.admin.query(
      `insert into campaign_mirror.mirrors (campaign_id, target_url) values (99, 'https://a.example/')`,
    );
    expect(await demonstrationCampaign(database.admin)).to.equal(99);
  });
});
