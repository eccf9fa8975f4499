import type { StorePorts, StoreWorld } from '@campaign-mirror/domain/contracts';

export {
  address,
  after,
  before,
  change,
  mirrorSet,
  newOwner,
} from '../../../packages/domain/src/contracts/live-campaign.ts';
export {
  type Live,
  liveCampaign,
  newCampaign,
  newMirror,
} from '../../../packages/domain/src/operator-contracts/live-store.ts';

export type Ports = StorePorts;

/** A store with all ports, and what happens to it by other hands than theirs. */
export interface World extends StoreWorld {
  close(): Promise<void>;
}
