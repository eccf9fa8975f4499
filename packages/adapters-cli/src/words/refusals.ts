import type {
  AccessKeyId,
  AddressFault,
  CampaignId,
  CampaignNotFound,
  KeyRotation,
  OwnerHasDefault,
  Refusal,
} from '@campaign-mirror/domain';
import { ClearError } from '../terminal/errors.ts';
import { printable } from '../terminal/text.ts';

/** A refusal by the store or the domain. */
type CampaignRefusal =
  | CampaignNotFound
  | OwnerHasDefault
  | { readonly kind: 'mirror-exists' }
  | { readonly kind: 'refused'; readonly because: Refusal };

/** Why an act on a campaign is refused, and what to do instead. */
export function campaignRefused(campaign: CampaignId, refusal: CampaignRefusal): ClearError {
  switch (refusal.kind) {
    case 'campaign-not-found':
      return new ClearError(`there is no campaign ${campaign}`);
    case 'owner-has-default':
      return new ClearError(`${defaultOf(refusal)}; ${unsetting(refusal.id)}`);
    case 'mirror-exists':
      return new ClearError(`the campaign ${campaign} has a mirror already`);
    case 'refused':
      return new ClearError(rules[refusal.because](campaign));
  }
}

/** The texts for refusals by the rules; a new rule does not compile until it has a text. */
const rules: Readonly<Record<Refusal, (campaign: CampaignId) => string>> = {
  'mirror-not-created': (campaign) =>
    `the campaign ${campaign} has no mirror: \`./campaign-mirror mirror create ${campaign}\` creates it`,
  'default-campaign': (campaign) =>
    `the campaign ${campaign} is its owner's default campaign, whose mirror cannot be set: ${unsetting(campaign)}`,
  'not-the-owner': (campaign) =>
    `the campaign ${campaign} belongs to another owner than the key: use a key of the campaign's owner`,
};

/** For an import, which assigns the number if there is none. */
export function defaultOf({ ownerId, id, name }: Numbered<OwnerHasDefault>): string {
  return `the owner ${ownerId} has a default campaign already: ${campaignNamed(id, name)}`;
}

type Numbered<Found> = Omit<Found, 'id' | 'kind'> & { readonly id: CampaignId | null };

function unsetting(campaign: CampaignId): string {
  return `\`./campaign-mirror campaign unset-default ${campaign}\` makes it an ordinary one`;
}

/** Such as `campaign 42 "Summer"`; without a number, which the import assigns, `a new campaign "Summer"`. */
export function campaignNamed(id: CampaignId | null, name: string | null): string {
  const campaign = id === null ? 'a new campaign' : `campaign ${id}`;
  return name === null ? campaign : `${campaign} "${printable(name)}"`;
}

export const addressFaults: Readonly<Record<AddressFault, string>> = {
  'too-long': 'it must not be longer than 2048 characters',
  'not-a-url':
    'it must be a URL such as https://example.com/, without credentials, white space or a backslash',
  'denied-host': 'MIRROR_HOST_DENYLIST denies its host',
};

export function noSuchKey(id: AccessKeyId): ClearError {
  return new ClearError(`there is no key ${id}`);
}

/** Why a key was not rotated, and what to do instead. */
export function notRotated(id: AccessKeyId, refused: Exclude<KeyRotation, { kind: 'rotated' }>): ClearError {
  if (refused.kind === 'key-not-found') return noSuchKey(id);
  const issue = 'issue another with `./campaign-mirror key issue`';
  if (refused.kind === 'key-replaced') {
    return new ClearError(
      `key ${id} was replaced by key ${refused.by} already: rotate that one, or ${issue}`,
    );
  }
  return new ClearError(`key ${id} is ${refused.kind === 'key-revoked' ? 'revoked' : 'expired'}: ${issue}`);
}
