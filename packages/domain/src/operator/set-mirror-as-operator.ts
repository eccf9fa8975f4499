import {
  type Campaign,
  type CampaignRepository,
  Unavailable,
} from '../set-campaign-mirror/campaign-repository.ts';
import {
  type AddressRefusal,
  checkedAddress,
  maxAttempts,
  type Outcome,
  operatorRefusalOf,
} from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { Condition } from '../values/condition.ts';
import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import type { HostList, MirrorAddress } from '../values/mirror-address.ts';
import type { CampaignSettings, MirrorCreation } from './campaign-settings.ts';
import type { MirrorHistory } from './mirror-history.ts';

/** Why, and on which condition, an operator sets a mirror. */
export interface OperatorSetting {
  /** The change of the history from which the address is restored, if it is. */
  readonly change?: HistoryId | undefined;
  /** The last change that the mirror must have; by default, any. */
  readonly condition?: Condition | undefined;
}

/** Sets mirrors for the operator. Every call throws `Unavailable` when the store is unavailable. */
export interface OperatorMirrors {
  /**
   * Sets the mirror, and records the change in the history and in the audit; all are committed or none. Requires that at the moment of the write the
   * campaign is still as `seen`: its owner, its default flag, that it has a mirror; otherwise returns undefined and writes
   * nothing. Then the condition is judged.
   */
  setMirror(
    seen: Campaign,
    address: MirrorAddress,
    options: OperatorSetting,
  ): Promise<Extract<Outcome, { kind: 'mirror-set' | 'condition-failed' }> | undefined>;
}

interface SettingPorts {
  readonly campaigns: Pick<CampaignRepository, 'find'>;
  readonly mirrors: OperatorMirrors;
}

/**
 * Sets a mirror as an act of the operator: all rules except the last apply, and those of the address.
 * @throws Unavailable when a port is unavailable, or the campaign changed during every attempt
 */
export async function setMirrorAsOperator(
  { campaigns, mirrors }: SettingPorts,
  denied: HostList,
  id: CampaignId,
  submitted: string | undefined,
  options: OperatorSetting = {},
): Promise<Outcome> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const campaign = await campaigns.find(id);
    if (!campaign) return { kind: 'campaign-not-found' };
    const refusal = operatorRefusalOf(campaign);
    if (refusal) return { kind: 'refused', because: refusal };
    const address = checkedAddress(submitted, denied);
    if (typeof address !== 'string') return address;
    const result = await mirrors.setMirror(campaign, address, options);
    if (result) return result;
  }
  throw new Unavailable('the campaign changed during every attempt');
}

/**
 * Restores the address of a change in the history, the new one or the one that it replaced, as an act of the operator. The
 * address is checked again, since the denied hosts can have changed. The result is `no-address` if the history has no such
 * change.
 * @throws Unavailable as `setMirrorAsOperator`
 */
export async function restoreMirror(
  ports: SettingPorts & { readonly history: Pick<MirrorHistory, 'find'> },
  denied: HostList,
  campaign: CampaignId,
  change: HistoryId,
  address: 'after' | 'before',
  condition?: Condition,
): Promise<Outcome> {
  // An entry of the history never changes, so it is read once.
  const entry = await ports.history.find(campaign, change);
  const recorded = address === 'after' ? entry?.addressAfter : entry?.addressBefore;
  return setMirrorAsOperator(ports, denied, campaign, recorded, { change, condition });
}

/**
 * Creates the mirror of a campaign in its settings. The rules of the address apply (contract: the address).
 * @throws Unavailable when the settings are unavailable
 */
export async function createMirror(
  settings: Pick<CampaignSettings, 'createMirror'>,
  denied: HostList,
  campaign: CampaignId,
  submitted: string,
): Promise<MirrorCreation | AddressRefusal> {
  const address = checkedAddress(submitted, denied);
  if (typeof address !== 'string') return address;
  return settings.createMirror(campaign, address);
}
