import type {
  CampaignCreation,
  CampaignId,
  CampaignRecord,
  CampaignSettings,
  DefaultChange,
  Deletion,
  Mirror,
  MirrorAddress,
  MirrorCreation,
  NewCampaign,
  OwnerHasDefault,
  OwnerId,
  Transfer,
} from '@campaign-mirror/domain';
import { deletionDetails, differs } from '../schema/deletion.ts';
import { StoreAdapter, timestamp } from './store.ts';

/**
 * Campaigns and mirrors as the operator creates and changes them, in memory: for tests, and for reuse without
 * persistence.
 */
export class InMemorySettings extends StoreAdapter implements CampaignSettings {
  async createCampaign({ owner, isDefault, name: given }: NewCampaign): Promise<CampaignCreation> {
    const taken = isDefault && this.#defaultOf(owner);
    if (taken) return taken;
    const id = this.store.nextId<CampaignId>();
    const name = given ?? null;
    const createdAt = timestamp(this.store.now());
    this.store.campaigns.set(id, { id, ownerId: owner, isDefault, name, createdAt });
    const details = { default: isDefault, name };
    this.note({ act: 'campaign-created', campaignId: id, ownerId: owner, details });
    return { kind: 'created', id };
  }

  async createMirror(campaignId: CampaignId, address: MirrorAddress): Promise<MirrorCreation> {
    const campaign = this.store.campaigns.get(campaignId);
    if (!campaign) return { kind: 'campaign-not-found' };
    if (this.store.mirrors.has(campaignId)) return { kind: 'mirror-exists' };
    const createdAt = timestamp(this.store.now());
    const mirror: Mirror = {
      id: this.store.nextId(),
      campaignId,
      targetUrl: address,
      clicks: 0,
      updatedExternally: false,
      updatedExternallyAt: null,
      createdAt,
      updatedAt: createdAt,
    };
    this.store.mirrors.set(campaignId, { ...mirror });
    const details = { target_url: address };
    this.note({ act: 'mirror-created', campaignId, ownerId: campaign.ownerId, details });
    return { kind: 'created', mirror };
  }

  async transfer(campaignId: CampaignId, to: OwnerId): Promise<Transfer> {
    const campaign = this.store.campaigns.get(campaignId);
    if (!campaign) return { kind: 'campaign-not-found' };
    const { ownerId: from, isDefault, name } = campaign;
    if (from === to) return { kind: 'unchanged' };
    const taken = isDefault && this.#defaultOf(to);
    if (taken) return taken;
    campaign.ownerId = to;
    const details = { owner_id_before: from, default: isDefault, name };
    this.note({ act: 'campaign-transferred', campaignId, ownerId: to, details });
    return { kind: 'transferred', from };
  }

  async setDefault(campaignId: CampaignId, isDefault: boolean): Promise<DefaultChange> {
    const campaign = this.store.campaigns.get(campaignId);
    if (!campaign) return { kind: 'campaign-not-found' };
    const { ownerId, name } = campaign;
    if (campaign.isDefault === isDefault) return { kind: 'unchanged', ownerId };
    const taken = isDefault && this.#defaultOf(ownerId);
    if (taken) return taken;
    campaign.isDefault = isDefault;
    const act = isDefault ? 'default-set' : 'default-unset';
    this.note({ act, campaignId, ownerId, details: { name } });
    return { kind: 'changed', ownerId };
  }

  async deleteCampaign(campaignId: CampaignId, seen?: CampaignRecord): Promise<Deletion> {
    const campaign = this.store.record(campaignId);
    if (!campaign) return { kind: 'campaign-not-found' };
    if (seen && differs(campaign, seen)) return { kind: 'changed-meanwhile' };
    this.store.mirrors.delete(campaignId);
    this.store.campaigns.delete(campaignId);
    const details = deletionDetails(campaign);
    this.note({ act: 'campaign-deleted', campaignId, ownerId: campaign.ownerId, details });
    return { kind: 'deleted', campaign };
  }

  #defaultOf(ownerId: OwnerId): OwnerHasDefault | undefined {
    const all = [...this.store.campaigns.values()];
    const taken = all.find((one) => one.isDefault && one.ownerId === ownerId);
    return taken && { kind: 'owner-has-default', ownerId, id: taken.id, name: taken.name };
  }
}
