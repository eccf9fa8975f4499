import { setTimeout as pause } from 'node:timers/promises';
import {
  type Acting,
  changeDefault,
  createCampaign,
  createMirror,
  deleteCampaign,
  issueKey,
  moveMirrors,
  restoreMirror,
  revokeKey,
  rotateKey,
  transfer,
} from './acts.ts';
import { type KnownCampaign, owners } from './known.ts';

const campaigns = 5;
const keysOfOwner = 3;
/** Between two acts of one operator, in milliseconds. */
const longestPause = 40;

type Act = (acting: Acting, campaign: KnownCampaign) => Promise<void>;

/** How often each is done, out of their sum. */
const weights: readonly (readonly [Act, number])[] = [
  [transfer, 20],
  [changeDefault, 8],
  [deleteCampaign, 2],
  [createMirror, 10],
  [restoreMirror, 10],
  [moveMirrors, 6],
  [revokeKey, 6],
  [rotateKey, 6],
];

const drawn = weights.flatMap(([act, weight]) => Array<Act>(weight).fill(act));

/** Does one thing after the other until it is over. */
export async function operate(acting: Acting, over: AbortSignal): Promise<void> {
  const { known, random } = acting;
  while (!over.aborted) {
    await keepUp(acting);
    const campaign = known.campaign(random);
    // A default campaign is not to stay one for long: nobody may set its mirror.
    const act = campaign?.isDefault && random.number() < 0.5 ? changeDefault : random.one(drawn);
    if (campaign && act) await act(acting, campaign);
    await pause(random.below(longestPause));
  }
}

/** Makes what is missing for the others to go on. */
export async function keepUp(acting: Acting): Promise<void> {
  const { known } = acting;
  if (known.campaigns.size < campaigns) await createCampaign(acting);
  for (const owner of owners) if (known.keysOf(owner).length < keysOfOwner) await issueKey(acting, owner);
}
