import type { AddressFault, CampaignId, OwnerHasDefault, OwnerId } from '@campaign-mirror/domain';
import { ClearError } from '../clear-error.ts';
import { printable } from './output.ts';

/** What the store or the domain refuses, in words. */
export function ownerHasDefault(owner: OwnerId, { id, name }: OwnerHasDefault): ClearError {
  return new ClearError(
    `the owner ${owner} has a default campaign already: ${campaignNamed(id, name)}; ` +
      `\`./campaign-mirror campaign unset-default ${id}\` makes it an ordinary one`,
  );
}

export function noSuchCampaign(id: CampaignId): ClearError {
  return new ClearError(`there is no campaign ${id}`);
}

export const addressFaults: Readonly<Record<AddressFault, string>> = {
  'too-long': 'it must not be longer than 2048 characters',
  'not-a-url':
    'it must be a URL such as https://example.com/, without credentials, white space or a backslash',
  'denied-host': 'MIRROR_HOST_DENYLIST denies its host',
};

/** Such as `campaign 42 "Summer"`. */
export function campaignNamed(id: CampaignId, name: string | null): string {
  return name === null ? `campaign ${id}` : `campaign ${id} "${printable(name)}"`;
}
