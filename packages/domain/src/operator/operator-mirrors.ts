import type { Campaign, CampaignRepository, MirrorNow } from '../set-campaign-mirror/campaign-repository.ts';
import * as core from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { HostList } from '../values/hosts.ts';
import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import { Unavailable } from '../values/unavailable.ts';
import type { CampaignSettings, MirrorCreation } from './campaign-settings.ts';
import type { MirrorHistory } from './history-and-audit.ts';

/** On which condition an operator sets a mirror, and from which change of the history, if the address is restored. */
export interface OperatorSetting extends Pick<core.SetMirrorRequest, 'lastChange'> {
  readonly change?: HistoryId | undefined;
}

/** Sets mirrors for the operator. */
export interface OperatorMirrors {
  /**
   * Sets the mirror, and records the change in the history and in the audit; all are committed or none. Undefined, and
   * nothing is written, if at the moment of the write the campaign is not as `seen`.
   */
  setMirror(seen: Campaign, address: MirrorAddress, how: OperatorSetting): Promise<MirrorNow | undefined>;
}

/**
 * Sets a mirror as an act of the operator: all rules except the last apply, and those of the address.
 * @throws Unavailable also when the campaign changed during every attempt
 */
export async function setMirrorAsOperator(
  ports: { readonly campaigns: Pick<CampaignRepository, 'find'>; readonly mirrors: OperatorMirrors },
  denied: HostList,
  id: CampaignId,
  submitted: string | undefined,
  options: OperatorSetting = {},
): Promise<core.Outcome> {
  for (let attempt = 0; attempt < core.maxAttempts; attempt++) {
    const campaign = await ports.campaigns.find(id);
    if (!campaign) return { kind: 'campaign-not-found' };
    const refusal = core.refusalOf(campaign, campaign);
    if (refusal) return { kind: 'refused', because: refusal };
    const address = core.checkedAddress(submitted, denied);
    if (typeof address !== 'string') return address;
    const result = await ports.mirrors.setMirror(campaign, address, options);
    if (result) return result;
  }
  throw new Unavailable('the campaign changed during every attempt');
}

/**
 * Restores the address of a change in the history, the new one or the one that it replaced, as an act of the operator:
 * checked again, since the denied hosts can have changed. `no-address` if the history has no such change.
 */
export async function restoreMirror(
  ports: Parameters<typeof setMirrorAsOperator>[0] & { readonly history: Pick<MirrorHistory, 'find'> },
  denied: HostList,
  campaign: CampaignId,
  change: HistoryId,
  address: 'after' | 'before',
  lastChange?: OperatorSetting['lastChange'],
): Promise<core.Outcome> {
  const entry = await ports.history.find(campaign, change);
  const recorded = address === 'after' ? entry?.addressAfter : entry?.addressBefore;
  return setMirrorAsOperator(ports, denied, campaign, recorded, { change, lastChange });
}

/** Creates the mirror of a campaign. The rules of the address apply. */
export async function createMirror(
  settings: Pick<CampaignSettings, 'createMirror'>,
  denied: HostList,
  campaign: CampaignId,
  submitted: string,
): Promise<MirrorCreation | core.AddressRefusal> {
  const address = core.checkedAddress(submitted, denied);
  return typeof address === 'string' ? settings.createMirror(campaign, address) : address;
}
