import type { CampaignRepository } from '../set-campaign-mirror/campaign-repository.ts';
import type { HostDenylist } from '../values/host-denylist.ts';
import type { CampaignId, HistoryId } from '../values/identifiers.ts';
import type { MirrorHistory } from './mirror-history.ts';
import type { OperatorMirrors } from './operator-mirrors.ts';
import { type OperatorSetting, SetMirrorAsOperator } from './set-mirror-as-operator.ts';

/** The campaign, and the change of its mirror whose address to restore. */
export interface RestoreRequest {
  readonly campaign: CampaignId;
  readonly change: HistoryId;
  /** Which of the change's two addresses: the new one, or the one that it replaced. */
  readonly address: 'after' | 'before';
}

/**
 * Restores an address from the history, as an act of the operator: all rules but the last apply. The address is
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
   * Sets the mirror to an address of its history; `no-address` where the history has no such change.
   * @throws Unavailable when a port is unavailable, or the campaign changed during every attempt
   */
  async execute({ campaign, change: number, address }: RestoreRequest): Promise<OperatorSetting> {
    // History rows never change, so one read is enough.
    const change = await this.#history.find(campaign, number);
    const recorded = address === 'after' ? change?.addressAfter : change?.addressBefore;
    return this.#setting.execute(campaign, recorded, number);
  }
}
