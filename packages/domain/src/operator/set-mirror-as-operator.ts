import {
  type Campaign,
  type CampaignRepository,
  type Mirror,
  Unavailable,
} from '../set-campaign-mirror/campaign-repository.ts';
import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import {
  type AddressFault,
  type HostDenylist,
  type MirrorAddress,
  mirrorAddress,
  noDeniedHosts,
} from '../values/mirror-address.ts';
import type { CampaignSettings, MirrorCreation } from './campaign-settings.ts';
import type { MirrorHistory } from './mirror-history.ts';

/** Sets mirrors for the operator. Every call throws `Unavailable` when the store is unavailable. */
export interface OperatorMirrors {
  /**
   * Sets the mirror, and records the change in the history and in the audit; all are committed or none. `change` is the
   * change of the history from which the address is restored, if it is. Requires that at the moment of the write the campaign is still as `seen`: its owner, its default flag, that it has
   * a mirror. Otherwise returns undefined and writes nothing.
   */
  setMirror(
    seen: Campaign,
    address: MirrorAddress,
    change: HistoryId | undefined,
  ): Promise<Mirror | undefined>;
}

/** The result of setting a mirror. Nothing was written unless it is `mirror-set`. */
export type OperatorSetting =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror }
  | { readonly kind: 'campaign-not-found' }
  | { readonly kind: 'refused'; readonly because: OperatorRefusal }
  | { readonly kind: 'no-address' }
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/** The maximum number of attempts if the campaign changes between the check and the write. */
const maxAttempts = 5;

/** Sets a mirror as an act of the operator: all rules except the last apply, and those of the address. */
export class SetMirrorAsOperator {
  readonly #campaigns: Pick<CampaignRepository, 'find'>;
  readonly #mirrors: OperatorMirrors;
  readonly #deniedHosts: HostDenylist;

  constructor(
    campaigns: Pick<CampaignRepository, 'find'>,
    mirrors: OperatorMirrors,
    deniedHosts: HostDenylist = noDeniedHosts,
  ) {
    this.#campaigns = campaigns;
    this.#mirrors = mirrors;
    this.#deniedHosts = deniedHosts;
  }

  /**
   * Sets the mirror to `submitted`. `change` is the change of the history from which the address is restored, if it is.
   * @throws Unavailable when a port is unavailable, or the campaign changed during every attempt
   */
  async execute(id: CampaignId, submitted: string | undefined, change?: HistoryId): Promise<OperatorSetting> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const campaign = await this.#campaigns.find(id);
      if (!campaign) return { kind: 'campaign-not-found' };
      const refusal = operatorRefusalOf(campaign);
      if (refusal) return { kind: 'refused', because: refusal };
      if (submitted === undefined) return { kind: 'no-address' };
      const address = mirrorAddress(submitted, this.#deniedHosts);
      if (typeof address !== 'string') return { kind: 'invalid-address', because: address.fault };
      const mirror = await this.#mirrors.setMirror(campaign, address, change);
      if (mirror) return { kind: 'mirror-set', mirror };
    }
    throw new Unavailable('the campaign changed during every attempt');
  }
}

/** The result of creating a mirror with a submitted address. */
export type CreateMirrorOutcome =
  | MirrorCreation
  | { readonly kind: 'invalid-address'; readonly because: AddressFault };

/** Creates the mirror of a campaign in its settings. The rules of the address apply (contract: the address). */
export class CreateMirror {
  readonly #settings: Pick<CampaignSettings, 'createMirror'>;
  readonly #deniedHosts: HostDenylist;

  constructor(settings: Pick<CampaignSettings, 'createMirror'>, deniedHosts: HostDenylist = noDeniedHosts) {
    this.#settings = settings;
    this.#deniedHosts = deniedHosts;
  }

  /** Checks the address, then creates the mirror. @throws Unavailable when the settings are unavailable */
  async execute(campaign: CampaignId, submitted: string): Promise<CreateMirrorOutcome> {
    const address = mirrorAddress(submitted, this.#deniedHosts);
    if (typeof address !== 'string') return { kind: 'invalid-address', because: address.fault };
    return this.#settings.createMirror(campaign, address);
  }
}

/** The campaign, and the change of its mirror whose address to restore. */
export interface RestoreRequest {
  readonly campaign: CampaignId;
  readonly change: HistoryId;
  /** Which address of the change to restore: the new one, or the one that it replaced. */
  readonly address: 'after' | 'before';
}

/**
 * Restores an address from the history, as an act of the operator: all rules except the last apply. The address is
 * checked again, since the denied hosts can have changed.
 */
export class RestoreMirror {
  readonly #history: Pick<MirrorHistory, 'find'>;
  readonly #setting: SetMirrorAsOperator;

  constructor(
    campaigns: Pick<CampaignRepository, 'find'>,
    history: Pick<MirrorHistory, 'find'>,
    mirrors: OperatorMirrors,
    deniedHosts?: HostDenylist,
  ) {
    this.#history = history;
    this.#setting = new SetMirrorAsOperator(campaigns, mirrors, deniedHosts);
  }

  /**
   * Sets the mirror to an address of its history. The result is `no-address` if the history has no such change.
   * @throws Unavailable when a port is unavailable, or the campaign changed during every attempt
   */
  async execute({ campaign, change, address }: RestoreRequest): Promise<OperatorSetting> {
    // An entry of the history never changes, so it is read once.
    const entry = await this.#history.find(campaign, change);
    const recorded = address === 'after' ? entry?.addressAfter : entry?.addressBefore;
    return this.#setting.execute(campaign, recorded, change);
  }
}
