import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';
import { before as first, type Live } from '../support/store/world.ts';

const [changed, returned, next] = ['changed', 'returned', 'next'].map((one) => `https://${one}.example/`) as [
  ...[string, string, string],
];

describe('history: a mirror that is deleted and created again continues its history', () => {
  const service = groupedOf('suite');

  const campaign = ({ seen }: Live) =>
    `insert into campaign_mirror.campaigns (id, owner_id) values (${seen.id}, ${seen.ownerId})`;
  const mirror = ({ seen }: Live) =>
    `insert into campaign_mirror.mirrors (campaign_id, target_url) values (${seen.id}, '${returned}')`;
  const deletion = ({ seen }: Live) => `delete from campaign_mirror.campaigns where id = ${seen.id}`;
  const psql = async (role: 'operator' | 'owner', ...statements: string[]) => {
    const client = await connect(service.database.address(role));
    for (const one of statements) await client.query(one);
    await client.end();
  };

  const forged = `set campaign_mirror.details = '{"target_url":"https://forged.example/"}'`;
  const ways: Record<string, (one: Live) => Promise<unknown>> = {
    'by psql, which names another deleted address': (one) =>
      psql('operator', ...[forged, deletion(one), campaign(one), deletion(one), campaign(one), mirror(one)]),
    'by an import': async (one) => {
      const { id, ownerId } = one.seen;
      const on = commandsOn(service.database);
      await on.run(`campaign delete ${id} --yes`);
      const file = `id,owner_id,target_url,mirror_updated_at\n${id},${ownerId},${returned},2020-01-01T00:00:00.000000Z\n`;
      const { code, errors } = await command(['import', '-'], on.settings, file);
      expect(code, errors).to.equal(0);
    },
    'by the owner of the tables, the mirror alone': (one) =>
      psql('owner', `delete from campaign_mirror.mirrors where campaign_id = ${one.seen.id}`, mirror(one)),
  };

  for (const [way, comeBack] of Object.entries(ways))
    for (const last of [changed, first])
      it(`${way}: a change from ${last} is recorded and audited`, async () => {
        const live = await service.campaign();
        const { id } = live.seen;
        if (last === changed) await service.set(live, changed);
        await comeBack(live);
        const { rows } = await service.database.admin.query(
          `select change.id, change.previous_id, address_before, address_after, actor, acts.act,
             mirrors.last_change_id = change.id as is_last, updated_at = changed_at as is_its_time
           from campaign_mirror.mirror_history as change
           left join campaign_mirror.operator_audit as acts on acts.id = audit_id
           join campaign_mirror.mirrors on mirrors.campaign_id = change.campaign_id
           where change.campaign_id = $1 order by change.id desc`,
          [id],
        );
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
      });
});
