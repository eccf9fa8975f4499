import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';
import { before as first, type Live } from '../support/store/world.ts';

const [changed, returned, next] = [
  'https://changed.example/',
  'https://returned.example/',
  'https://next.example/',
];

describe('a mirror that comes back after its campaign, or it alone, was deleted', () => {
  const service = groupedOf('suite');

  const campaigns = (...lives: Live[]) =>
    `insert into campaign_mirror.campaigns (id, owner_id) values ${lives.map(({ seen }) => `(${seen.id}, ${seen.ownerId})`)}`;
  const mirrors = (...lives: Live[]) =>
    `insert into campaign_mirror.mirrors (campaign_id, target_url) values ${lives.map(({ seen }) => `(${seen.id}, '${returned}')`)}`;
  const deleted = (...lives: Live[]) =>
    `delete from campaign_mirror.campaigns where id in (${lives.map(({ seen }) => seen.id)})`;
  const psql = async (role: 'operator' | 'owner', ...statements: string[]) => {
    const client = await connect(service.database.address(role));
    for (const one of statements) await client.query(one);
    await client.end();
  };

  /** How two campaigns, the second of which was never changed, are deleted and created again with another address. */
  const ways: Record<string, (one: Live, other: Live) => Promise<unknown>> = {
    'by psql, one row at a time': (...two) =>
      psql('operator', ...two.flatMap((one) => [deleted(one), campaigns(one), mirrors(one)])),
    'by psql, many rows in one statement': (...two) =>
      psql('operator', deleted(...two), campaigns(...two), mirrors(...two)),
    'by psql, as if the program imported it': (...two) =>
      psql(
        'operator',
        `set campaign_mirror.details = '{"source":"a.csv"}'`,
        ...two.flatMap((one) => [deleted(one), campaigns(one), mirrors(one)]),
      ),
    'by psql, which says in between that another address was deleted': (...two) =>
      psql(
        'operator',
        `set campaign_mirror.details = '{"target_url":"https://forged.example/"}'`,
        ...two.flatMap((one) => [deleted(one), campaigns(one), deleted(one), campaigns(one), mirrors(one)]),
      ),
    'by the import of a file': async (...two) => {
      const on = commandsOn(service.database);
      for (const { seen } of two) await on.run(`campaign delete ${seen.id} --yes`);
      const lines = two.map(
        ({ seen }) => `${seen.id},${seen.ownerId},${returned},2020-01-01T00:00:00.000000Z\n`,
      );
      const file = `id,owner_id,target_url,mirror_updated_at\n${lines.join('')}`;
      const { code, errors } = await command(['import', '-'], on.settings, file);
      expect(code, errors).to.equal(0);
    },
    "the mirror alone, by the tables' owner": (...two) =>
      psql(
        'owner',
        ...two.map(({ seen }) => `delete from campaign_mirror.mirrors where campaign_id = ${seen.id}`),
        mirrors(...two),
      ),
  };

  it('of a number whose last campaign had no mirror: nothing comes back, and nothing is in the way', async () => {
    const [one] = await service.live(1);
    const { admin } = service.database;
    await psql('operator', `delete from campaign_mirror.campaigns where id = ${one.seen.id}`, campaigns(one));
    await psql('operator', deleted(one), campaigns(one));
    // What the first one had is what a mirror replaces.
    await psql('operator', mirrors(one));
    const { rows } = await admin.query(
      'select address_before, address_after from campaign_mirror.mirror_history where campaign_id = $1',
      [one.seen.id],
    );
    expect(rows).to.deep.equal([{ address_before: first, address_after: returned }]);
  });

  it('a second time: from the address that was deleted last, later than the change before, whatever its clock was', async () => {
    const [one] = await service.live(1);
    await service.set(one, changed);
    await psql('operator', deleted(one), campaigns(one), mirrors(one));
    await service.set(one, next);
    const { admin } = service.database;
    const text = `from campaign_mirror.mirror_history where campaign_id = ${one.seen.id}`;
    await admin.query(`begin; set local session_replication_role = replica;
      update campaign_mirror.mirror_history set changed_at = '2999-01-01Z' where id = (select max(id) ${text}); commit`);
    await psql('operator', deleted(one), campaigns(one), mirrors(one));
    const { rows } = await admin.query(
      `select address_before, changed_at = '2999-01-01 00:00:00.000001Z' as is_next, previous_id is null as is_first ${text} order by id`,
    );
    const change = (address_before: string, is_next = false, is_first = false) => ({
      ...{ address_before, is_next, is_first },
    });
    expect(rows).to.deep.equal([
      change(first, false, true),
      change(changed),
      change(returned),
      change(next, true),
    ]);
  });

  for (const [way, comeBack] of Object.entries(ways))
    it(`${way}: has its row, from the address that was deleted, with the entry of the audit, and the chain goes on`, async () => {
      const [one, other] = await service.live(2);
      await service.set(one, changed);
      await comeBack(one, other);
      for (const [live, last] of [
        [one, changed],
        [other, first],
      ] as const) {
        const { id } = live.seen;
        const { rows } = await service.database.admin.query(
          `select change.id, change.previous_id, address_before, address_after, actor, acts.act, acts.database_role,
             mirrors.last_change_id = change.id as is_last, updated_at = changed_at as is_its_time
           from campaign_mirror.mirror_history as change left join campaign_mirror.operator_audit as acts on acts.id = audit_id
           join campaign_mirror.mirrors on mirrors.campaign_id = change.campaign_id
           where change.campaign_id = $1 order by change.id desc`,
          [id],
        );
        expect(rows, way).to.have.length(last === first ? 1 : 2);
        const [change, earlier] = rows;
        expect(change).to.include({ address_before: last, address_after: returned, actor: 'operator' });
        expect(change).to.include({ is_last: true, is_its_time: true, previous_id: earlier?.id ?? null });
        expect(change.act).to.match(/^mirror(-created|s-imported)$/);

        expect(await service.set(live, next)).to.have.property('kind', 'mirror-set');
        const shown = await commandsOn(service.database).objects(`mirror history ${id}`);
        const addresses = [next, returned, ...(last === first ? [first] : [changed, first])];
        expect(shown.map(({ address_after }) => address_after)).to.deep.equal(addresses.slice(0, -1));
        expect(shown.map(({ address_before }) => address_before)).to.deep.equal(addresses.slice(1));
        const times = shown.map(({ changed_at }) => changed_at);
        expect(times).to.deep.equal([...new Set(times)].toSorted().reverse());
      }
    });

  it('an import records the numbers of what it has created: of many with gaps, the first and the last', async () => {
    const on = commandsOn(service.database);
    const recorded = async (ids: readonly number[]) => {
      const lines = ids.map((id) => `${id},9,${first}\n`).join('');
      await command(['import', '-', '--allow-duplicates'], on.settings, `id,owner_id,target_url\n${lines}`);
      return (await on.objects('audit --limit 2')).map(({ act, details }) => [act, details.numbers]);
    };
    const both = (numbers: string) => [
      ['mirrors-imported', numbers],
      ['campaigns-imported', numbers],
    ];
    expect(await recorded([900_000])).to.deep.equal(both('900000'));
    expect(await recorded([900_001, 900_002, 900_005])).to.deep.equal(both('900001-900002,900005'));
    expect(await recorded([900_011, 900_012, 900_013])).to.deep.equal(both('900011-900013'));
    const listed = Array.from({ length: 1_000 }, (_, at) => 920_000 + 2 * at);
    expect(await recorded(listed)).to.deep.equal(both(listed.join(',')));
    const many = Array.from({ length: 1_001 }, (_, at) => 910_000 + 2 * at);
    expect(await recorded(many)).to.deep.equal(both('910000-912000'));
  });
});

describe('mirror history, after the owner of the tables deleted the mirror', () => {
  const service = groupedOf('suite');

  it('is shown as before, and the audit has who deleted it', async () => {
    const live = await service.campaign();
    for (const to of [changed, next]) await service.set(live, to);
    const { id } = live.seen;
    const owner = await connect(service.database.address('owner'));
    await owner
      .query(`delete from campaign_mirror.mirrors where campaign_id = ${id}`)
      .finally(() => owner.end());
    const on = commandsOn(service.database);
    const shown = await on.objects(`mirror history ${id}`);
    expect(shown.map(({ address_after }) => address_after)).to.deep.equal([next, changed]);
    const [entry] = await on.objects(`audit --campaign ${id} --limit 1`);
    const noted = { act: 'mirror-deleted', database_role: 'campaign_mirror_owner' };
    expect(entry).to.include(noted).and.nested.include({ 'details.target_url': next });
  });
});
