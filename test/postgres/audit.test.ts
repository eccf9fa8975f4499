import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import { rejection } from '../support/faults.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { after as afterwards, type Live, newCampaign, newOwner } from '../support/store/world.ts';

describe('the audit', () => {
  const service = liveServiceOf('suite');
  let live: Live;
  before(async () => {
    live = await service.campaign();
  });

  it('is append-only, also for the owner of the table and for the operator', async () => {
    const owner = await connect(service.database.address('owner'));
    const before = await service.world.audit.list({ limit: 100 });
    for (const statement of [
      "update campaign_mirror.operator_audit set operator = 'nobody'",
      'delete from campaign_mirror.operator_audit',
      'truncate campaign_mirror.operator_audit',
    ]) {
      const refused = await rejection(owner.query(statement));
      expect(refused, statement).to.have.property('message').that.includes('append-only');
      // A setting of the session lets the history be pruned, not the audit.
      await owner.query("set campaign_mirror.pruning = 'on'");
    }
    await owner.end();
    expect(before).not.to.deep.equal([]);
    expect(await service.world.audit.list({ limit: 100 })).to.deep.equal(before);
  });

  it('keeps the role of the database that acted, whatever the operator calls himself', async () => {
    const { rows } = await service.database.admin.query(
      'select distinct database_role from campaign_mirror.operator_audit',
    );
    expect(rows).to.deep.equal([{ database_role: 'campaign_mirror_operator' }]);
  });

  describe('where it cannot be written', () => {
    let ordinary: CampaignId;
    before(async () => {
      ordinary = (await newCampaign(service.world)).id;
      await service.database.admin.query(
        'revoke insert on campaign_mirror.operator_audit from campaign_mirror_operator',
      );
    });
    after(() =>
      service.database.admin.query(
        'grant insert on campaign_mirror.operator_audit to campaign_mirror_operator',
      ),
    );

    const acts: Record<string, () => Promise<unknown>> = {
      createCampaign: () => service.world.settings.createCampaign({ owner: newOwner(), isDefault: false }),
      createMirror: () => service.world.settings.createMirror(ordinary, afterwards),
      transfer: () => service.world.settings.transfer(live.seen.id, newOwner()),
      setDefault: () => service.world.settings.setDefault(live.seen.id, true),
      deleteCampaign: () => service.world.settings.deleteCampaign(live.seen.id),
    };
    for (const [name, act] of Object.entries(acts)) {
      it(`${name} is not done`, async () => {
        const before = await service.world.records.list({ limit: 100 });
        expect(await rejection(act())).to.have.property('code', '42501');
        expect(await service.world.records.list({ limit: 100 })).to.deep.equal(before);
      });
    }

    it('the command says so, and what to do', async () => {
      const { code, output, errors } = await command(
        ['campaign', 'transfer', `${live.seen.id}`, '--to', '9'],
        {
          DATABASE_URL: service.database.url('operator'),
        },
      );
      expect({ code, output }).to.deep.equal({ code: 1, output: '' });
      expect(errors).to.match(/^the user "campaign_mirror_operator" .* lacks a right: .*\n$/);
    });
  });
});
