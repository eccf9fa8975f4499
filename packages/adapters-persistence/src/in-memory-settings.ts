import type {
  CampaignCreation,
  CampaignId,
  CampaignSettings,
  Mirror,
  MirrorAddress,
  MirrorCreation,
  NewCampaign,
  OperatorAct,
} from '@campaign-mirror/domain';
import { type InMemoryStore, somebody, timestamp } from './in-memory-store.ts';

/** Campaigns and mirrors as the operator creates them, in memory: for tests, and for reuse where nothing need be kept. */
export class InMemorySettings implements CampaignSettings {
  readonly #store: InMemoryStore;
  readonly #act: OperatorAct;

  constructor(store: InMemoryStore, act = somebody) {
    this.#store = store;
    this.#act = act;
  }

  async createCampaign({ owner, isDefault, name }: NewCampaign): Promise<CampaignCreation> {
    const taken = [...this.#store.campaigns.values()].find((one) => one.ownerId === owner && one.isDefault);
    if (isDefault && taken) return { kind: 'owner-has-default', id: taken.id, name: taken.name };
    const id = this.#store.nextId<CampaignId>();
    const createdAt = timestamp(this.#store.now());
    this.#store.campaigns.set(id, { id, ownerId: owner, isDefault, name: name ?? null, createdAt });
    const details = { default: isDefault };
    this.#store.note(this.#act, { act: 'campaign-created', campaignId: id, ownerId: owner, details });
    return { kind: 'created', id };
  }

  async createMirror(campaignId: CampaignId, address: MirrorAddress): Promise<MirrorCreation> {
    if (!this.#store.campaigns.has(campaignId)) return { kind: 'campaign-not-found' };
    if (this.#store.mirrors.has(campaignId)) return { kind: 'mirror-exists' };
    const createdAt = timestamp(this.#store.now());
    const mirror: Mirror = {
      id: this.#store.nextId(),
      campaignId,
      targetUrl: address,
      clicks: 0,
      updatedExternally: false,
      updatedExternallyAt: null,
      createdAt,
      updatedAt: createdAt,
    };
    this.#store.mirrors.set(campaignId, { ...mirror });
    const details = { target_url: address };
    this.#store.note(this.#act, { act: 'mirror-created', campaignId, details });
    return { kind: 'created', mirror };
  }
}
