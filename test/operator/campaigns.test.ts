import type { AuditEntry, AuditedAct, CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { worldOf } from '../support/process/lives.ts';
import { named } from '../support/store/operator.ts';
import {
  address,
  after,
  before as beforehand,
  change,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newMirror,
  newOwner,
} from '../support/store/world.ts';

const ten = Array.from({ length: 10 });

describe("the operator's campaigns", () => {
  const world = worldOf('suite');
  const record = async (id: CampaignId) => (await world.records.find(id)) ?? expect.fail('no campaign');
  const audited = async (campaign: CampaignId) => world.audit.list({ campaign, limit: 99 });

  it('contract: time — a new mirror was never updated externally, and has its address byte for byte', async () => {
    const { id } = await newCampaign(world);
    const targetUrl = address('HTTPS://B\u00dcCHER.example/{id}?a=?&b=$1&c=[x]|%7e&d=\'"\u{1f389}');
    const mirror = await newMirror(world, id, targetUrl);
    const { createdAt } = mirror;
    expect(mirror).to.deep.include({ campaignId: id, targetUrl, clicks: 0, updatedAt: createdAt });
    expect(mirror).to.include({ updatedExternally: false, updatedExternallyAt: null });
    expect(await world.others.mirror(id)).to.deep.equal(mirror);
    expect(await record(id)).to.deep.include({ mirror });
    expect(await world.others.history(id)).to.deep.equal([]);
  });

  it('of ten mirrors of one campaign that race, one is created', async () => {
    const { id } = await newCampaign(world);
    const made = await Promise.all(ten.map(() => world.settings.createMirror(id, beforehand)));
    const kinds = made.map(({ kind }) => kind).toSorted();
    expect(kinds).to.deep.equal(['created', ...ten.slice(1).map(() => 'mirror-exists')]);
  });

  it('contract: default campaign — of ten that race to be it, by whatever act, one is', async () => {
    const owner = newOwner();
    const four = ten.slice(0, 4);
    const own = await Promise.all(four.map(() => newCampaign(world, owner)));
    const others = await Promise.all(four.map(() => newCampaign(world, newOwner(), true)));
    const done = await Promise.all([
      ...own.map(({ id }) => world.settings.setDefault(id, true)),
      ...others.map(({ id }) => world.settings.transfer(id, owner)),
      world.settings.createCampaign({ owner, isDefault: true }),
      world.settings.createCampaign({ owner, isDefault: true }),
    ]);
    const refused = done.filter((one) => one.kind === 'owner-has-default');
    expect(refused).to.have.length(9);
    for (const one of refused) expect(one).to.deep.equal(refused[0]);
    expect(await world.campaigns.find(refused[0]?.id as CampaignId)).to.include({
      ownerId: owner,
      isDefault: true,
    });
  });

  it('an act leaves one entry in the audit, with who, on what, and what else there is to know', async () => {
    const [owner, to, name] = [newOwner(), newOwner(), named('Summer')];
    const campaign = await world.settings.createCampaign({ owner, isDefault: true, name });
    if (campaign.kind !== 'created') throw new Error(campaign.kind);
    const { id } = campaign;
    const target_url = 'https://example.com/?a={b}';
    await world.settings.setDefault(id, false);
    await world.settings.createMirror(id, address(target_url));
    await world.others.countClick(id);
    await world.settings.transfer(id, to);
    await world.settings.setDefault(id, true);
    await world.settings.deleteCampaign(id);

    const expected: [AuditedAct, number, AuditEntry['details']][] = [
      ['campaign-deleted', to, { default: true, name, target_url, clicks: 1 }],
      ['default-set', to, { name }],
      ['campaign-transferred', to, { owner_id_before: owner, default: false, name }],
      ['mirror-created', owner, { target_url }],
      ['default-unset', owner, { name }],
      ['campaign-created', owner, { default: true, name }],
    ];
    const entries = await audited(id);
    expect(entries.map((one) => [one.act, one.ownerId, one.details])).to.deep.equal(expected);
  });

  it('an act that was refused or not needed leaves none', async () => {
    const theirs = await newCampaign(world, newOwner(), true);
    const { seen } = await liveCampaign(world, true);
    const entries = [await audited(seen.id), await audited(theirs.id)];
    const kinds: { kind: string }[] = [
      await world.settings.createCampaign({ owner: seen.ownerId, isDefault: true }),
      await world.settings.createMirror(seen.id, after),
      await world.settings.transfer(seen.id, seen.ownerId),
      await world.settings.transfer(seen.id, theirs.ownerId),
      await world.settings.setDefault(seen.id, true),
      await world.settings.deleteCampaign(seen.id, { ...(await record(seen.id)), name: 'another' }),
    ];
    expect(kinds.map(({ kind }) => kind).join()).to.equal(
      'owner-has-default,mirror-exists,unchanged,owner-has-default,unchanged,changed-meanwhile',
    );
    expect([await audited(seen.id), await audited(theirs.id)]).to.deep.equal(entries);
  });

  it('a campaign is deleted with its mirror, as they are by then; its history is kept', async () => {
    const { seen, by } = await liveCampaign(world);
    await mirrorSet(world, seen, change(by));
    const agreed = await record(seen.id);
    await world.others.countClick(seen.id);
    const history = await world.others.history(seen.id);
    expect(history).to.have.length(1);
    const deleted = await world.settings.deleteCampaign(seen.id, agreed);
    expect(deleted).to.have.nested.property('campaign.mirror.clicks', 1);
    expect(await world.records.find(seen.id)).to.equal(undefined);
    expect(await world.others.mirror(seen.id)).to.equal(undefined);
    expect(await world.others.history(seen.id)).to.deep.equal(history);
  });

  const meanwhile: Record<string, (live: Awaited<ReturnType<typeof liveCampaign>>) => Promise<unknown>> = {
    'its owner': ({ seen }) => world.others.transfer(seen.id, newOwner()),
    'its default flag': ({ seen }) => world.others.setDefault(seen.id, true),
    'the address of its mirror': ({ seen, by }) => mirrorSet(world, seen, change(by)),
    'that it has a mirror': ({ seen }) => world.others.deleteMirror(seen.id),
  };
  for (const [what, happens] of Object.entries(meanwhile)) {
    it(`a campaign is not deleted when ${what} changed since it was agreed to`, async () => {
      const live = await liveCampaign(world);
      const agreed = await record(live.seen.id);
      await happens(live);
      const now = await record(live.seen.id);
      expect(await world.settings.deleteCampaign(live.seen.id, agreed)).to.deep.equal({
        kind: 'changed-meanwhile',
      });
      expect(await record(live.seen.id)).to.deep.equal(now);
    });
  }
});
