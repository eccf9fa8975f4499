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
});
